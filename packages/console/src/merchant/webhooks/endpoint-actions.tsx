import type {
  WebhookEndpointWithHealth,
  WebhookEndpointWithSecrets,
} from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deliveries, endpoints } from "../../api/lists.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Secrets } from "./secrets.tsx";

const words = t.webhooks.one;

/** Actions on an endpoint. Each action explains its effect before it runs. */
export function EndpointActions({ endpoint }: { endpoint: WebhookEndpointWithHealth }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = `${endpoints.path}/${encodeURIComponent(endpoint.id)}`;
  const act = (action: string) => async (idempotencyKey: string) => {
    await send("POST", `${path}/${action}`, { body: {}, idempotencyKey });
    await Promise.all(
      [endpoints.path, deliveries.path].map((each) =>
        client.invalidateQueries({ queryKey: [each] }),
      ),
    );
  };
  const remove = async () => {
    await send("DELETE", path);
    await client.invalidateQueries({ queryKey: [endpoints.path], refetchType: "none" });
    await navigate({ to: "/webhooks" });
  };
  const isUnverified = endpoint.state === "unverified" || endpoint.pending_url !== "";
  return (
    <>
      {endpoint.state === "active" ? (
        <>
          <ConfirmButton
            label={words.test}
            text={words.testText}
            kind="plain"
            confirm={act("test")}
          />
          <ConfirmButton
            label={words.pause}
            text={words.pauseText}
            kind="plain"
            confirm={act("pause")}
          />
        </>
      ) : null}
      {endpoint.state === "paused" ? (
        <ConfirmButton
          label={words.resume}
          text={words.resumeText}
          kind="primary"
          confirm={act("resume")}
        />
      ) : null}
      {isUnverified ? (
        <ConfirmButton
          label={words.verify}
          text={words.verifyText}
          kind="primary"
          confirm={act("verify")}
        />
      ) : null}
      <Rotate path={path} />
      <ConfirmButton label={words.remove} text={words.removeText} confirm={remove} />
    </>
  );
}

function Rotate({ path }: { path: string }) {
  const [overlap, setOverlap] = useState("86400");
  const [created, setCreated] = useState<WebhookEndpointWithSecrets>();
  const rotate = async (idempotencyKey: string) => {
    const body = { overlap_seconds: Number(overlap) };
    setCreated(await send("POST", `${path}/rotate-secret`, { body, idempotencyKey }));
  };
  return (
    <>
      <ConfirmButton label={words.rotate} text={words.rotateText} kind="plain" confirm={rotate}>
        <SelectField
          label={words.overlap}
          value={overlap}
          onChange={setOverlap}
          options={Object.entries(words.overlaps).toReversed()}
        />
      </ConfirmButton>
      {created === undefined ? null : (
        <Secrets endpoint={created} onDone={() => setCreated(undefined)} />
      )}
    </>
  );
}
