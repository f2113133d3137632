import type {
  WebhookEndpointWithHealth,
  WebhookEndpointWithSecrets,
} from "@disburse/sdk/gen/types.ts";
import { useNavigate } from "@tanstack/react-router";
import { endpoints } from "../../api/lists.ts";
import { pathOf } from "../../api/pages.ts";
import { post, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { FormButton } from "../../ui/form-button.tsx";
import { Secrets } from "./secrets.tsx";

const words = t.webhooks.one;

/** Actions on an endpoint. Each action explains its effect before it runs. */
export function EndpointActions({ endpoint }: { endpoint: WebhookEndpointWithHealth }) {
  const { id, state, pending_url: pendingUrl } = endpoint;
  const navigate = useNavigate();
  const path = pathOf(endpoints, id);
  const [isActive, isPaused] = [state === "active", state === "paused"];
  const isUnverified = state === "unverified" || pendingUrl !== "";
  const offered = [
    { action: "test", label: words.test, text: words.testText, isOffered: isActive },
    { action: "pause", label: words.pause, text: words.pauseText, isOffered: isActive },
    { action: "resume", label: words.resume, text: words.resumeText, isOffered: isPaused },
    { action: "verify", label: words.verify, text: words.verifyText, isOffered: isUnverified },
  ];
  return (
    <>
      {offered
        .filter(({ isOffered }) => isOffered)
        .map(({ action, label, text }) => (
          <ConfirmButton
            key={action}
            {...{ label, text }}
            kind={["resume", "verify"].includes(action) ? "primary" : "plain"}
            confirm={(key) => post(`${path}/${action}`, {}, key)}
          />
        ))}
      <FormButton
        label={words.rotate}
        text={words.rotateText}
        kind="plain"
        initial={{ overlap: "86400" }}
        fields={[
          {
            name: "overlap",
            label: words.overlap,
            options: Object.entries(words.overlaps).toReversed(),
          },
        ]}
        send={({ overlap }, key) => {
          const body = { overlap_seconds: Number(overlap) };
          return post<WebhookEndpointWithSecrets>(`${path}/rotate-secret`, body, key);
        }}
        shown={(created, onDone) => <Secrets endpoint={created} onDone={onDone} />}
      />
      <ConfirmButton
        label={words.remove}
        text={words.removeText}
        confirm={() => send("DELETE", path).then(() => navigate({ to: "/webhooks" }))}
      />
    </>
  );
}
