import { type PublicBody, singleForm } from "./field.ts";
import { lengths } from "./lengths.ts";
import { textField } from "./make-field.ts";

/** Old secrets go along for a week at most (notifier contract). */
const overlapMaxSeconds = 604_800;

/**
 * `POST /api/v1/webhooks/endpoints`. Where a URL may point is checked by the notifier: https and
 * public addresses alone in production.
 */
export const createEndpoint: PublicBody = singleForm({
  name: "create_endpoint",
  description: "Where webhooks are sent.",
  fields: [
    textField("url", "Absolute URL.", "https://merchant.example/webhooks", {
      kind: "url",
      maxLength: lengths.url,
    }),
    textField("description", "The merchant's note.", "Production", { required: false }),
  ],
  rules: [],
});

/** `POST /api/v1/webhooks/endpoints/:id/rotate-secret`; every field may be left out. */
export const rotateSecret: PublicBody = singleForm({
  name: "rotate_secret",
  description: "How the secrets are changed.",
  fields: [
    {
      name: "overlap_seconds",
      kind: "integer",
      required: false,
      min: 0,
      max: overlapMaxSeconds,
      description: "How long the old secrets go along; 0 after a leak. 86,400 when left out.",
      example: 86_400,
    },
    {
      name: "stage",
      kind: "flag",
      required: false,
      description: "The new secrets wait for activate-secret before they sign.",
      example: false,
    },
  ],
  rules: [],
});
