import type { ReactNode } from "react";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { FormButton } from "../../ui/form-button.tsx";

const words = t.payouts.one;

/** Approves or rejects what is at a path. */
export function Decision(props: {
  path: string;
  texts: { approveText: string; rejectText: string };
  /** The button's label, if approval has further effects. */
  approve?: string;
  /** Identifies the content that the person saw. */
  approval: object;
  isReady?: boolean;
  /** The fewest characters of a reason. */
  reasonMin?: number;
  /** Shown in the dialog that approves. */
  children?: ReactNode;
}) {
  const { path, texts, approve = words.approve, approval, isReady = true, reasonMin = 1 } = props;
  return (
    <>
      <ConfirmButton
        label={approve}
        text={texts.approveText}
        kind="primary"
        isReady={isReady}
        confirm={(key) => post(`${path}/approve`, approval, key)}
      >
        {props.children}
      </ConfirmButton>
      <FormButton
        label={words.reject}
        text={texts.rejectText}
        initial={{ reason: "" }}
        fields={[
          {
            name: "reason",
            label: words.rejectReason,
            maxLength: 255,
            isLong: true,
            required: true,
          },
        ]}
        isReady={({ reason }) => reason.trim().length >= reasonMin}
        send={({ reason }, key) => post(`${path}/reject`, { reason: reason.trim() }, key)}
      />
    </>
  );
}
