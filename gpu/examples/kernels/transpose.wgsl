#part transpose_matrices
// See transpose.cu. Blocks of a grid of three dimensions have the index `invocation.group`.
struct Arguments { blocks: u32, columns: u32, rows: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> matrices: array<u32>;
@group(0) @binding(1) var<storage, read_write> transposed: array<u32>;
var<workgroup> tile: array<array<u32, TILE + 1u>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn transpose_matrices(invocation: InBlock, @builtin(local_invocation_id) own: vec3u) {
    let columns = arguments.columns;
    let rows = arguments.rows;
    let matrix = invocation.group.z * columns * rows;
    let column = invocation.group.x * TILE;
    let row = invocation.group.y * TILE;
    if column + own.x < columns && row + own.y < rows {
        tile[own.y][own.x] = matrices[matrix + (row + own.y) * columns + column + own.x];
    }
    workgroupBarrier();
    if row + own.x < rows && column + own.y < columns {
        transposed[matrix + (column + own.y) * rows + row + own.x] = tile[own.x][own.y];
    }
}
