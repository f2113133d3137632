import { send } from "../api/request.ts";
import { ConfirmButton } from "./confirm-button.tsx";

/** Deletes or revokes a record after confirmation and reloads the list. */
export function DeleteButton(props: { path: string; id: string; label: string; text: string }) {
  const { path, id, label, text } = props;
  return (
    <ConfirmButton
      label={label}
      text={text}
      confirm={() => send("DELETE", `${path}/${encodeURIComponent(id)}`)}
    />
  );
}
