//! A command with placeholders.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use text::Untrusted;

/// A command whose words have placeholders such as `{input}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTemplate {
    words: Vec<Vec<Part>>,
    /// Folder that the path of the program starts from, and `{folder}`.
    folder: PathBuf,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(String),
}

/// A command that can't be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// No words.
    #[error(
        "it is empty; write a program and its arguments, such as ['./sort', '{{input}}', '{{output}}']"
    )]
    Empty,
    /// A placeholder that nothing is known for.
    #[error("there is no placeholder {{{name}}}; there are {known}")]
    Unknown {
        /// Its name.
        name: String,
        /// Known ones.
        known: String,
    },
    /// A placeholder that is needed.
    #[error(
        "it lacks {{{0}}}; a program that uses its standard input or output can be called by a shell: [\"sh\", \"-c\", \"program < {{input}} > {{output}}\"]"
    )]
    Missing(&'static str),
}

/// Placeholder of the folder of the file that describes the command.
const FOLDER: &str = "folder";

impl CommandTemplate {
    /// A command with placeholders of these names, of which `required` must be there. `folder` is
    /// that of the file that describes it.
    ///
    /// # Errors
    /// If it is empty, or has other placeholders, or lacks one.
    pub fn new(
        words: &[String],
        folder: &Path,
        known: &[&str],
        required: &[&'static str],
    ) -> Result<Self, TemplateError> {
        if words.first().is_none_or(|program| program.is_empty()) {
            return Err(TemplateError::Empty);
        }
        let words: Vec<Vec<Part>> = words.iter().map(|word| parts(word)).collect();
        let names = || words.iter().flatten().filter_map(Part::placeholder);
        let is_known = |name: &str| name == FOLDER || known.contains(&name);
        if let Some(name) = names().find(|name| !is_known(name)) {
            let known = known.iter().chain(&[FOLDER]).map(|name| format!("{{{name}}}"));
            let known = known.collect::<Vec<_>>().join(", ");
            return Err(TemplateError::Unknown { name: name.to_owned(), known });
        }
        match required.iter().find(|required| !names().any(|name| name == **required)) {
            Some(missing) => Err(TemplateError::Missing(missing)),
            None => Ok(CommandTemplate { words, folder: folder.to_owned() }),
        }
    }

    /// The words of the command with these values, the program first.
    pub fn words(&self, value: impl Fn(&str) -> OsString) -> Vec<OsString> {
        let text = |part: &Part| match part {
            Part::Text(text) => text.into(),
            Part::Placeholder(name) if name == FOLDER => self.folder.as_os_str().to_owned(),
            Part::Placeholder(name) => value(name),
        };
        let word = |parts: &Vec<Part>| parts.iter().map(text).collect();
        let mut words: Vec<OsString> = self.words.iter().map(word).collect();
        // A program with a path is there; one without is looked for in PATH.
        if words[0].as_encoded_bytes().contains(&b'/') {
            words[0] = self.folder.join(&words[0]).into();
        }
        words
    }

    /// Files that the command names without any placeholder but that of the folder: the program,
    /// and scripts that it is given.
    pub fn files(&self) -> Vec<PathBuf> {
        let words = self.words(|name| format!("{{{name}}}").into());
        let in_path = |word: &OsString| match Path::new(word).components().count() {
            1 => in_path(word),
            _ => None,
        };
        let program = words.first().and_then(in_path);
        let paths = words.iter().map(|word| self.folder.join(word));
        program.into_iter().chain(paths).filter(|path| path.is_file()).collect()
    }

    /// The command as it is described, for messages.
    pub fn shown(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Placeholder(name) => format!("{{{name}}}"),
        };
        let word = |parts: &Vec<Part>| parts.iter().map(part).collect::<String>();
        let words: Vec<String> = self.words.iter().map(word).collect();
        words.join(" ").escaped().to_string()
    }
}

impl Part {
    fn placeholder(&self) -> Option<&str> {
        match self {
            Part::Placeholder(name) => Some(name),
            Part::Text(_) => None,
        }
    }
}

/// Looks for a program in `PATH`.
fn in_path(program: &OsStr) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Parts of a word. Braces around anything but a name are text, as in programs for awk.
fn parts(word: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        match after.split_once('}').filter(|(name, _)| is_name(name)) {
            Some((name, left)) => {
                parts.push(Part::Text(std::mem::take(&mut text)));
                parts.push(Part::Placeholder(name.to_owned()));
                rest = left;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    parts.push(Part::Text(text + rest));
    parts
}

fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_ascii_lowercase())
        && characters.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || "-_".contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(words: &[&str]) -> Result<CommandTemplate, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let known = ["input", "output", "threads"];
        let template =
            CommandTemplate::new(&words, Path::new("/lab"), &known, &["input", "output"]);
        template.map_err(|error| error.to_string())
    }

    fn filled(words: &[&str]) -> Vec<OsString> {
        template(words).expect("valid").words(|name| format!("<{name}>").into())
    }

    #[test]
    fn placeholders_are_filled_within_words_too() {
        assert_eq!(
            filled(&["./sort", "--in={input}", "{output}", "-j{threads}"]),
            ["/lab/./sort", "--in=<input>", "<output>", "-j<threads>"]
        );
        assert_eq!(filled(&["sh", "-c", "sort {input} > {output}"])[0], "sh");
        let script = filled(&["python3", "{folder}/sort.py", "{input}", "{output}"]);
        assert_eq!(script[1], "/lab/sort.py");
    }

    #[test]
    fn other_braces_are_text() {
        let words = filled(&["awk", "{print $1} {} {", "{input}", "{output}"]);
        assert_eq!(words[1], "{print $1} {} {");
    }

    #[test]
    fn bad_commands_are_refused_with_the_fix() {
        assert!(template(&[]).expect_err("empty").starts_with("it is empty"));
        let unknown = template(&["a", "{input}", "{ouput}"]).expect_err("misspelt");
        assert_eq!(
            unknown,
            "there is no placeholder {ouput}; there are {input}, {output}, {threads}, {folder}"
        );
        let missing = template(&["a", "{input}"]).expect_err("no output");
        assert!(missing.starts_with("it lacks {output}; "), "{missing}");
    }

    #[test]
    fn the_program_is_among_its_files() {
        let words = ["sh", "-c", "cat {input} > {output}"].map(str::to_owned);
        let template = CommandTemplate::new(&words, Path::new("/"), &["input", "output"], &[]);
        let files = template.expect("valid").files();
        assert_eq!(files.len(), 1, "{files:?}");
        assert!(files[0].ends_with("sh"));
    }
}
