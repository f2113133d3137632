import org.openapitools.client.ApiClient;

public final class Main {
  public static void main(String[] args) throws Exception {
    String authorization = "Bearer " + System.getenv("DISBURSE_API_KEY");
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("DISBURSE_BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", authorization));
    new Payouts(client).payBoth();
  }
}
