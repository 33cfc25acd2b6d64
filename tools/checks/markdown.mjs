/** Parses the parts of Markdown that the checks need: fenced code, links and anchors. */

/**
 * The parts of a document: `blocks` of fenced code as `{ language, info, code, line }`, `links` as
 * `{ target, line }`, `paths` of this repository that its prose names as code, as `{ path, line }`, and `anchors`,
 * the ids that GitHub gives its headings.
 */
export function parseMarkdown(text) {
  const blocks = [];
  const prose = [];
  let open;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*(\S*)\s*(.*)$/.exec(line);
    if (open) {
      if (fence && fence[2].startsWith(open.fence) && !fence[3]) {
        blocks.push({ ...open, code: open.lines.join('\n') });
        open = undefined;
      } else {
        open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart());
      }
    } else if (fence) {
      const [, indent, mark, language, info] = fence;
      open = { indent, fence: mark, language, info, line: index + 1, lines: [] };
    } else {
      prose.push({ text: line, line: index + 1 });
    }
  }
  if (open) blocks.push({ ...open, code: open.lines.join('\n'), isUnclosed: true });
  return {
    blocks,
    links: prose.flatMap(linksOf),
    paths: prose.flatMap(pathsOf),
    anchors: anchorsOf(prose),
  };
}

function linksOf({ text, line }) {
  const plain = text.replace(/`[^`]*`/g, '');
  const inline = [...plain.matchAll(/\]\(<?([^()\s>]+)>?(?:\s+"[^"]*")?\)/g)];
  const references = [...plain.matchAll(/^\s*\[[^\]]+\]:\s*(\S+)/g)];
  return [...inline, ...references].map((match) => ({ target: match[1], line }));
}

/** Matches complete paths only, because one with a placeholder or pattern does not name a file. */
function pathsOf({ text, line }) {
  return [...text.matchAll(/`((?:apps|docs|libs|tools)\/[\w./-]+)`/g)].map((match) => ({
    path: match[1],
    line,
  }));
}

function anchorsOf(prose) {
  const anchors = new Set();
  for (const { text } of prose) {
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const visible = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const id = visible.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let unique = id;
    for (let count = 1; anchors.has(unique); count++) unique = `${id}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}
