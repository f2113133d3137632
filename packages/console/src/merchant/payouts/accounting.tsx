import { useState } from "react";
import { addressOf } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/dialog.tsx";
import { Fields } from "../../ui/fields.tsx";
import { daysOf, endOf, startOf } from "../../ui/rules/times.ts";
import { useFields } from "../../ui/use-fields.ts";

const words = t.payouts.accounting;
const daysMax = 93;

/** Downloads the bookings of a period. The server writes the file, so it is always complete. */
export function AccountingFile() {
  const [isOpen, setOpen] = useState(false);
  const [first, last] = daysOf("lastMonth", new Date());
  const { values, field } = useFields({ from: first, to: last });
  const [start, end] = [startOf(values.from), endOf(values.to)];
  const days = (end.getTime() - start.getTime()) / 86_400_000;
  const isValid = days > 0 && days <= daysMax;
  const error = isValid ? undefined : words.period({ days: daysMax });
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.open}</Button>
      <Modal title={words.title} text={words.text} isOpen={isOpen} onOpenChange={setOpen}>
        <div className="fields">
          <Fields
            fields={[
              { name: "from", label: t.list.from, type: "date" },
              { name: "to", label: t.list.to, type: "date", error },
            ]}
            field={field}
          />
        </div>
        {isValid ? (
          <div className="row">
            <a
              className="button"
              data-kind="primary"
              download
              href={addressOf("/api/v1/transfer/accounting.csv", {
                from: start.toISOString(),
                to: end.toISOString(),
              })}
            >
              {words.download}
            </a>
          </div>
        ) : null}
      </Modal>
    </>
  );
}
