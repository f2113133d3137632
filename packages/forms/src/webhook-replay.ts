import { type PublicBody, singleForm } from "./field.ts";
import { lengths } from "./lengths.ts";
import { textField } from "./make-field.ts";

/** How a delivery has ended that can be sent once more: another waits, or has no endpoint. */
export const replayableStates = ["exhausted", "delivered"] as const;

/** New deliveries in a second: enough for 360,000 an hour, too few to hold up other merchants. */
const rateMax = 100;
/** What is left out is gentle to a receiver that has just come back. */
export const replayRateDefault = 10;

const time = { kind: "time", maxLength: lengths.time } as const;

/**
 * `POST /api/v1/webhooks/replays`. That `since` is before `until`, and by how much, is checked by
 * the notifier, whose clock stands for an `until` that is left out.
 */
export const createReplay: PublicBody = singleForm({
  name: "create_replay",
  description: "Which deliveries are sent once more.",
  fields: [
    textField(
      "endpoint_id",
      "Where they went and go again; `endpoint` is another name of this field.",
      "whe_01hqz0000000000000000000ab",
      { maxLength: lengths.reference },
    ),
    textField("since", "Made at this time or later.", "2026-11-20T10:00:00.000Z", time),
    textField(
      "until",
      "Made before this time, at most 30 days after `since`; the present when left out.",
      "2026-11-20T12:00:00.000Z",
      { ...time, required: false },
    ),
    {
      name: "states",
      kind: "words",
      required: false,
      allowed: replayableStates,
      description: "How they ended; `exhausted` alone when left out.",
      example: ["exhausted"],
    },
    {
      name: "rate",
      kind: "integer",
      required: false,
      min: 1,
      max: rateMax,
      description: `At most so many in a second; ${replayRateDefault} when left out.`,
      example: 25,
    },
  ],
  rules: [],
});
