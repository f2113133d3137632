import { type ComponentProps, type ReactNode, useState } from "react";
import { ConfirmButton } from "./confirm-button.tsx";
import { type FieldOf, Fields } from "./fields.tsx";
import { useFields } from "./use-fields.ts";

/** A confirmation with a form. Closing the dialog keeps its input. */
export function FormButton<T extends Readonly<Record<string, string>>, Answer = unknown>(
  props: Omit<ComponentProps<typeof ConfirmButton>, "confirm" | "children" | "isReady"> & {
    readonly initial: T;
    readonly fields: readonly FieldOf<keyof T & string>[];
    /** Returns true if the form can be sent. Defaults to all required fields having a text. */
    readonly isReady?: (values: T, changed: Partial<T>) => boolean;
    readonly send: (values: T, idempotencyKey: string, changed: Partial<T>) => Promise<Answer>;
    /** Shown below the fields. */
    readonly children?: (values: T) => ReactNode;
    /** Shows what only the answer has. */
    readonly shown?: (answer: Answer, close: () => void) => ReactNode;
    /** False if the change is made or no longer possible. Its answer stays until it is closed. */
    readonly isOffered?: boolean;
  },
) {
  const { initial, fields, send, children, shown, isOffered = true, ...button } = props;
  const { values, changed, field, clear } = useFields(initial);
  const [answer, setAnswer] = useState<Answer>();
  const isFilled = fields.every(({ name, required }) => !required || values[name]?.trim() !== "");
  return (
    <>
      {isOffered ? (
        <ConfirmButton
          {...button}
          isReady={isFilled && (props.isReady?.(values, changed) ?? true)}
          confirm={async (key) => {
            const sent = await send(values, key, changed);
            clear();
            if (shown) setAnswer(() => sent);
            return sent;
          }}
        >
          <Fields fields={fields} field={field} />
          {children?.(values)}
        </ConfirmButton>
      ) : null}
      {answer === undefined ? null : shown?.(answer, () => setAnswer(undefined))}
    </>
  );
}
