import {
  DeliveryDaySchema,
  GetDeliveryActivityResponseSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { get } from "../openapi/route.ts";

const day = f.record(
  DeliveryDaySchema,
  "WebhookDay",
  "The deliveries that were created on one day, by their present state. Redeliveries count too.",
  {
    date: f.day("UTC day."),
    delivered: f.whole("Acknowledged by the endpoint.", 120),
    pending: f.whole("Still tried.", 0),
    exhausted: f.whole("24 hours went by without a 200.", 1),
    cancelled: f.whole("The endpoint was deleted.", 0),
  },
);

const activity = f.record(
  GetDeliveryActivityResponseSchema,
  "WebhookActivity",
  "Webhook deliveries by day.",
  { days: f.listOf("Each day of the period, the earliest first.", f.ref(day)) },
);

export const activityComponents = [day, activity];

export const getWebhookActivity = get("getWebhookActivity", "/api/v1/webhooks/activity", {
  summary: "Get webhook activity",
  description:
    "Counts deliveries by the UTC day of their creation. The counts are at most 60 seconds old. More than 1,000,000 deliveries in the period are refused: ask for fewer days.",
  query: q.days,
  data: activity,
  answer: ({ request }, { notifier }) => notifier.getDeliveryActivity(request),
});
