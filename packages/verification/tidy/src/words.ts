import type { Finding } from "./source.ts";

/** Put together here, so that this file is not its own first finding. */
const markers = new RegExp(`\\b(?:${["TO" + "DO", "FIX" + "ME", "HA" + "CK"].join("|")})\\b`);

/** Names that say nothing about what is inside. */
const empty = /^(?:utils?|helpers?|common|managers?|misc|shared)$/;

/** Notes of what is still to do: what is worth doing is in the issue list, not in the code. */
export function markersLeft({ path, text }: { path: string; text: string }): Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const found = markers.exec(line);
    return found === null ? [] : [{ path, line: index + 1, message: `a ${found[0]} is left` }];
  });
}

/** File and folder names: kebab-case, and telling what is inside. */
export function badNames(path: string): Finding[] {
  const parts = path.split("/").filter((part) => !part.startsWith("."));
  const wrong = parts.find((part) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part));
  if (wrong !== undefined) return [{ path, line: 1, message: `${wrong} is not kebab-case` }];
  const words = parts.flatMap((part) => part.split(/[-.]/));
  const vague = words.find((word) => empty.test(word));
  return vague === undefined ? [] : [{ path, line: 1, message: `"${vague}" says nothing` }];
}
