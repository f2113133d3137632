import type { WebhookEndpointWithSecrets } from "@disburse/sdk/gen/types.ts";
import { t } from "../../catalogue/texts.ts";
import { ShownOnce } from "../../ui/shown-once.tsx";

const words = t.webhooks.secrets;

/** The server returns these secrets only once. */
export function Secrets(props: { endpoint: WebhookEndpointWithSecrets; onDone: () => void }) {
  const { endpoint, onDone } = props;
  return (
    <ShownOnce
      {...{ title: words.title, text: words.text, done: words.done, onDone }}
      secrets={[
        [words.own, endpoint.secret],
        [words.standard, endpoint.standard_secret],
      ]}
    />
  );
}
