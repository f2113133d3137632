import { momentText, spanText, utcText } from "./rules/times.ts";

/** Shows a time in the person's time zone. Its title has the time in UTC. */
export function Moment({ at }: { at: string | undefined }) {
  if (at === undefined || at === "") return <span className="soft">–</span>;
  return (
    <time dateTime={at} title={utcText(at)}>
      {momentText(at)}
    </time>
  );
}

/** Shows the time since something. */
export const Age = ({ since }: { since: string }) => (
  <time dateTime={since} title={utcText(since)}>
    {spanText((Date.now() - Date.parse(since)) / 1_000)}
  </time>
);
