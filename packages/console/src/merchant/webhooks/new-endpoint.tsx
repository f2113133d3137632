import type { WebhookEndpointWithSecrets } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { endpoints } from "../../api/lists.ts";
import { Problem } from "../../api/problem.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { useDraft } from "../../session/draft.ts";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";
import { Secrets } from "./secrets.tsx";

const words = t.webhooks.create;
const route = getRouteApi("/shell/webhooks/new");

const blank = { url: "", description: "", order: "bounded", types: "*" };

export function NewEndpoint() {
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [form, setForm, forget] = useDraft("endpoint", blank);
  const creating = useAttempt({
    send: (body: object, idempotencyKey) =>
      send<WebhookEndpointWithSecrets>("POST", endpoints.path, { body, idempotencyKey }),
    onSuccess: async () => {
      forget();
      // The secrets are shown only once, so they don't wait until lists are read again.
      void client.invalidateQueries({ queryKey: [endpoints.path] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate(bodyOf(form));
  };
  const change = (next: typeof blank) => {
    creating.reset();
    setForm(next);
  };
  const errorOf = (field: string) =>
    creating.error instanceof Problem
      ? creating.error.violations.find((each) => each.field.startsWith(field))?.message
      : undefined;
  return (
    <Page title={words.title}>
      <form className="form card" onSubmit={submit}>
        <EndpointFields form={form} onChange={change} errorOf={errorOf} />
        {creating.isError ? (
          <ProblemNotice error={creating.error} noAnswer={words.notKnown} />
        ) : null}
        <div>
          <button
            type="submit"
            className="button"
            data-kind="primary"
            disabled={creating.isPending || form.url === ""}
          >
            {creating.isPending ? words.saving : words.save}
          </button>
        </div>
      </form>
      {creating.data === undefined ? null : (
        <Secrets
          endpoint={creating.data}
          onDone={() =>
            void navigate({
              to: "/webhooks/$endpointId",
              params: { endpointId: creating.data.id },
            })
          }
        />
      )}
    </Page>
  );
}

function EndpointFields(props: {
  form: typeof blank;
  onChange: (form: typeof blank) => void;
  errorOf: (field: string) => string | undefined;
}) {
  const { form, onChange, errorOf } = props;
  const set = (name: keyof typeof blank) => (value: string) => onChange({ ...form, [name]: value });
  return (
    <>
      <TextField
        label={words.url}
        hint={words.urlHint}
        value={form.url}
        onChange={set("url")}
        error={errorOf("url")}
        maxLength={2048}
        name="url"
        required
      />
      <TextField
        label={words.description}
        value={form.description}
        onChange={set("description")}
        maxLength={255}
      />
      <SelectField
        label={words.order}
        value={form.order}
        onChange={set("order")}
        options={Object.entries(t.webhooks.one.orders)}
      />
      <AreaField
        label={words.types}
        hint={words.typesHint}
        value={form.types}
        onChange={set("types")}
        error={errorOf("event_types")}
      />
    </>
  );
}

function bodyOf({ url, description, order, types }: typeof blank) {
  const eventTypes = types.split(/\s+/).filter((type) => type !== "");
  return {
    url,
    order,
    ...(description === "" ? {} : { description }),
    ...(eventTypes.length === 0 ? {} : { event_types: eventTypes }),
  };
}
