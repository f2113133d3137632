import { momentText } from "./rules/times.ts";

/** Shows a time in the person's time zone. */
export function Moment({ at }: { at: string | undefined }) {
  if (at === undefined || at === "") return <span className="soft">–</span>;
  return <time dateTime={at}>{momentText(at)}</time>;
}
