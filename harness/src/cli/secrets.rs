//! Removal of secrets from the typed command line, which `run.json` and error messages repeat.

/// Replacement of a secret.
const GONE: &str = "…";

/// Parts of the names of parameters that are secret, in small letters.
const SECRET: [&str; 7] = ["pass", "pwd", "token", "secret", "key", "auth", "jwt"];

/// Masks user name, password and secret parameters of URLs in a word.
pub(super) fn without_secrets(word: &str) -> String {
    let Some((before, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (server, rest) = rest.split_at(end);
    let server = match server.rsplit_once('@') {
        Some((_, host)) => format!("{GONE}@{host}"),
        None => server.to_owned(),
    };
    let rest = match rest.split_once('?') {
        Some((path, parameters)) => format!("{path}?{}", masked(parameters)),
        None => rest.to_owned(),
    };
    format!("{before}://{server}{rest}")
}

/// Parameters, with the values of those that are no secrets.
fn masked(parameters: &str) -> String {
    let each = parameters.split_inclusive(['&', ';', '#']);
    each.map(|parameter| match parameter.split_once('=') {
        Some((name, value)) if is_secret(name) => {
            let end = value.trim_start_matches(|letter| !matches!(letter, '&' | ';' | '#'));
            format!("{name}={GONE}{end}")
        }
        _ => parameter.to_owned(),
    })
    .collect()
}

/// Returns true for parameters with secrets; InfluxDB's password is `p`.
fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "p" || SECRET.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_tokens_are_gone_and_all_else_stays() {
        for (typed, kept) in [
            ("http://h:8086/write?db=lab&u=me&p=hush", "http://h:8086/write?db=lab&u=me&p=…"),
            ("http://h/write?p=hush&db=lab", "http://h/write?p=…&db=lab"),
            ("http://h/write?Password=a%26b;db=x", "http://h/write?Password=…;db=x"),
            ("http://h/api?api_token=x#end", "http://h/api?api_token=…#end"),
            ("http://h?token=a=b==", "http://h?token=…"),
            ("--influx=http://me:hush@h:1/write?db=lab", "--influx=http://…@h:1/write?db=lab"),
            ("http://me@hu:sh@h/write", "http://…@h/write"),
            ("http://h/write?db=lab&precision=ns", "http://h/write?db=lab&precision=ns"),
            ("http://h/a@b?q=c@d", "http://h/a@b?q=c@d"),
            ("http://", "http://"),
            ("--preset", "--preset"),
            ("a?p=1", "a?p=1"),
        ] {
            assert_eq!(without_secrets(typed), kept);
        }
    }

    #[test]
    fn neither_records_nor_refusals_contain_a_password() {
        let parse = |url: &str| {
            let words = ["bench", "stream", "--influx", url];
            crate::cli::parse(words.map(Into::into))
        };
        let Ok(crate::cli::Request::Stream(request)) = parse("http://h/write?db=lab&p=hush") else {
            panic!("not understood")
        };
        let url = "http://h/write?db=lab&p=…";
        assert_eq!(request.measuring.command, ["bench", "stream", "--influx", url]);
        assert!(request.flags.influx.is_some_and(|url| url.ends_with("p=hush")), "it is used");
        for url in ["http://me:hush@h/write", "https://h/write?p=hush", "http://h/?p=hush word"] {
            let refused = parse(url).err().expect(url).text();
            assert!(refused.contains("--influx") && !refused.contains("hush"), "{refused}");
        }
    }
}
