import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.BeneficiariesApi;
import org.openapitools.client.api.PayoutsApi;
import org.openapitools.client.api.QuotesApi;
import org.openapitools.client.model.*;

/** A payout to a bank account and one to a wallet, by openapi-generator's Java clients. */
final class Payouts {
  private static final String AMOUNTS = "string";
  private final BeneficiariesApi beneficiaries;
  private final QuotesApi quotes;
  private final PayoutsApi payouts;

  Payouts(ApiClient client) {
    beneficiaries = new BeneficiariesApi(client);
    quotes = new QuotesApi(client);
    payouts = new PayoutsApi(client);
  }

  void payBoth() throws ApiException, InterruptedException {
    RequestForQuoteRequest toBank = terms(createBankAccount(), "INR");
    toBank.setReceivingAmount(new BigDecimal("123456.78"));
    equal(pay("fiat", toBank).getReceivingAmount().toPlainString(), "123456.78");

    RequestForQuoteRequest toWallet = terms(createWallet(), "USDC_ETH");
    toWallet.setSourceAmount(new BigDecimal("250.25"));
    equal(pay("crypto", toWallet).getSourceAmount().toPlainString(), "250.25");
  }

  private String createBankAccount() throws ApiException {
    FiatBeneficiaryInrRequest account = new FiatBeneficiaryInrRequest()
        .beneficiaryAccountType(FiatBeneficiaryInrRequest.BeneficiaryAccountTypeEnum.INDIVIDUAL)
        .beneficiaryFirstName("Asha")
        .beneficiaryLastName("Rao")
        .destinationCurrency(FiatBeneficiaryInrRequest.DestinationCurrencyEnum.INR)
        .transferType(FiatBeneficiaryInrRequest.TransferTypeEnum.LOCAL)
        .destinationCountry("IN")
        .currencyType(FiatBeneficiaryInrRequest.CurrencyTypeEnum.FIAT)
        .routingCodeType1("IFSC")
        .routingCodeValue1("HDFC0000001")
        .beneficiaryAccountNumber("50100123456789")
        .beneficiaryAlias("asha")
        .beneficiaryContactCountryCode(
            new FiatBeneficiaryUsdRequestBeneficiaryContactCountryCode("91"))
        .beneficiaryContactNumber(
            new FiatBeneficiaryUsdRequestBeneficiaryContactNumber("9820012345"))
        .beneficiaryAddress("1 Marine Drive")
        .beneficiaryCity("Mumbai")
        .beneficiaryState("Maharashtra")
        .beneficiaryPostcode("400020")
        .beneficiaryCountryCode("IN")
        .beneficiaryBankName("First Bank")
        .beneficiaryBankAccountType(
            FiatBeneficiaryInrRequest.BeneficiaryBankAccountTypeEnum.PERSONAL_SAVINGS)
        .beneficiaryBankAddress("2 Fort Road")
        .beneficiaryBankCity("Mumbai")
        .beneficiaryBankState("Maharashtra")
        .beneficiaryBankPostcode("400001")
        .beneficiaryBankCountryCode("IN");
    CreateFiatBeneficiaryRequest body = new CreateFiatBeneficiaryRequest(account);
    return beneficiaries.createFiatBeneficiary(AMOUNTS, body, newKey(), null, null)
        .getData().getBeneficiaryId();
  }

  private String createWallet() throws ApiException {
    CryptoBeneficiaryIndividualRequest wallet = new CryptoBeneficiaryIndividualRequest()
        .beneficiaryAccountType(
            CryptoBeneficiaryIndividualRequest.BeneficiaryAccountTypeEnum.INDIVIDUAL)
        .beneficiaryName("Jane Doe")
        .beneficiaryDateOfBirth(LocalDate.of(1985, 4, 12))
        .beneficiaryDocumentType(
            CryptoBeneficiaryIndividualRequest.BeneficiaryDocumentTypeEnum.PASSPORT)
        .beneficiaryDocumentId("X1234567")
        .beneficiaryAddress("1 Main Street")
        .beneficiaryCity("New York")
        .beneficiaryState("NY")
        .beneficiaryPostcode("10001")
        .beneficiaryCountryCode("US")
        .destinationCurrency(CryptoBeneficiaryIndividualRequest.DestinationCurrencyEnum.USDC_ETH)
        .routingCodeType1(CryptoBeneficiaryIndividualRequest.RoutingCodeType1Enum.NETWORK)
        .routingCodeValue1(CryptoBeneficiaryIndividualRequest.RoutingCodeValue1Enum.ETHEREUM)
        .beneficiaryAccountNumber("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
        .beneficiaryWalletCustodyProvider(
            CryptoBeneficiaryIndividualRequest.BeneficiaryWalletCustodyProviderEnum.OTHERS)
        .beneficiaryWalletCustodyProviderName("Paper");
    CreateCryptoBeneficiaryRequest body = new CreateCryptoBeneficiaryRequest(wallet);
    return beneficiaries.createCryptoBeneficiary(AMOUNTS, body, newKey(), null, null)
        .getData().getBeneficiaryId();
  }

  private Payout pay(String kind, RequestForQuoteRequest terms)
      throws ApiException, InterruptedException {
    String reference = System.getenv("DISBURSE_CLIENT") + "-" + kind;
    Quote quote = quotes.requestQuote(AMOUNTS, terms, newKey(), null, null, null).getData();
    ExecutePayoutRequest order =
        new ExecutePayoutRequest().quoteId(quote.getId()).referenceId(reference);
    String id = payouts.executePayout(AMOUNTS, order, newKey(), null, null, null).getData().getId();
    Payout payout = get(id);
    while (payout.getStatus().getString().equals("initiated")) {
      Thread.sleep(200);
      payout = get(id);
    }
    equal(payout.getStatus().getString(), "succeeded");
    equal(payout.getReceivingAmount().toPlainString(), quote.getReceivingAmount().toPlainString());
    PayoutPage listed = payouts.listPayouts(
        AMOUNTS, null, null, null, null, null, null, null, reference, null, null, null, null, null,
        null, null, null, null, null, null, null, null, null, null).getData();
    equal(listed.getTransactions().size(), 1);
    equal(listed.getTransactions().get(0).getId(), id);
    return payout;
  }

  private Payout get(String id) throws ApiException {
    return payouts.getPayout(id, AMOUNTS, null, null).getData();
  }

  private static RequestForQuoteRequest terms(String beneficiaryId, String currency) {
    return new RequestForQuoteRequest()
        .accountId(System.getenv("DISBURSE_ACCOUNT_ID"))
        .beneficiaryId(beneficiaryId)
        .sourceCurrencyCode("USD")
        .destinationCurrencyCode(currency);
  }

  private static String newKey() {
    return UUID.randomUUID().toString();
  }

  private static void equal(Object actual, Object expected) {
    if (!actual.equals(expected)) {
      throw new IllegalStateException("expected " + expected + ", got " + actual);
    }
  }
}
