/** Copies the host's database of time zones into Python's memory. */
export function keepZones(python, folder) {
  const zones = python.pyimport('code_executor.zones');
  for (const [name, bytes] of zonesIn(folder, '')) zones.add(name, bytes);
  zones.pack();
  zones.destroy();
}

function* zonesIn(folder, prefix) {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    // These folders repeat all zones, with and without leap seconds.
    if (prefix === '' && (name === 'posix' || name === 'right')) continue;
    if (isDirectory) yield* zonesIn(`${folder}/${name}`, `${prefix}${name}/`);
    else {
      const bytes = readFile(`${folder}/${name}`);
      if (bytes && isZone(bytes)) yield [`${prefix}${name}`, bytes];
    }
  }
}

/** Undefined if the path is a link to a place that this process may not read. */
function readFile(path) {
  try {
    return Deno.readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Whether it is a file of the database, which begins with "TZif". */
function isZone(bytes) {
  return bytes[0] === 0x54 && bytes[1] === 0x5a && bytes[2] === 0x69 && bytes[3] === 0x66;
}
