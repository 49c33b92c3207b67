// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incidents;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.incidents.Workshop.AskLoan;
import io.safebunny.incidents.Workshop.AskPrice;
import io.safebunny.incidents.Workshop.BookRoom;
import io.safebunny.incidents.Workshop.CancelGift;
import io.safebunny.incidents.Workshop.FillStock;
import io.safebunny.incidents.Workshop.Filled;
import io.safebunny.incidents.Workshop.GiveGift;
import io.safebunny.incidents.Workshop.Invoice;
import io.safebunny.incidents.Workshop.LoanChecked;
import io.safebunny.incidents.Workshop.Priced;
import io.safebunny.incidents.Workshop.SendParcel;
import io.safebunny.incidents.Workshop.StartTrip;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaStatus;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.harness.RawPublisher;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/**
 * Incidents on a real broker are exported over HTTP, compiled and run: the test fails as production did, and passes once the code is mended.
 */
@Tag("once")
class IncidentIT {

    private static final String IBAN = "DE-4711";

    private static Production production;

    @BeforeAll
    static void start() {
        String host = "workshop-" + UUID.randomUUID().toString().substring(0, 8);
        TestBroker shared = TestBroker.shared();
        TestBroker broker = shared.isPrivate() ? shared.createVirtualHost(host) : shared;
        production = new Production(
                WebApplicationType.SERVLET,
                new Class<?>[0],
                "HOSTNAME=workshop-7d4f",
                "spring.rabbitmq.addresses=%s:%s".formatted(broker.host(), broker.port()),
                "spring.rabbitmq.username=" + broker.username(),
                "spring.rabbitmq.password=" + broker.password(),
                "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                "management.endpoint.safebunny.show-states=always",
                "management.endpoint.safebunnypoison.show-bodies=always");
    }

    @AfterAll
    static void stop() {
        production.close();
        Workshop.mended = false;
    }

    @BeforeEach
    void breakIt() {
        Workshop.mended = false;
    }

    private static String exported(String path) {
        HttpResponse<String> answer = production.get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse("").replace(" ", ""))
                .isEqualToIgnoringCase("text/plain;charset=UTF-8");
        assertThat(answer.body()).doesNotContain(IBAN).startsWith("package io.safebunny.incidents;\n");
        String name = GeneratedTest.name(answer.body());
        assertThat(answer.body()).contains("\n// Run it alone: mvn test -Dtest=" + name + "\n");
        assertThat(name).endsWith("Test");
        return answer.body();
    }

    /** @param seen what production saw, which the failure of the test has to say */
    private static void failsUntilMended(String source, String... seen) {
        GeneratedTest test = GeneratedTest.of(source);
        List<String> failures = test.failures();
        assertThat(failures).as(source).hasSize(1);
        assertThat(failures.get(0)).contains("Assertion").contains(seen);

        Workshop.mended = true;
        assertThat(test.failures()).as(source).isEmpty();
    }

    /** Class and first line, as its poison copy has them. */
    private static String exceptionOf(PoisonedMessage message) {
        return "%s: %s"
                .formatted(
                        message.exceptionType(),
                        message.exceptionMessage().lines().findFirst().orElse(""));
    }

    @Test
    void aStepOfASagaThrows() {
        production.publish("price-1", new AskPrice("lamp", IBAN));
        production.awaitSaga("price-1", saga -> true);
        production.publish("price-1", new Priced("lamp", 1999, IBAN));
        production.awaitSaga("price-1", saga -> saga.status() == SagaStatus.STUCK);
        PoisonedMessage poison = production.awaitPoison("price-1");

        String source = exported("safebunny/sagas/price-1?as=test");

        assertThat(source)
                .contains("class PriceIncident", "SagaScenario.of(new Workshop.Price())", "\"cents\": 1999")
                .contains("// java.lang.IllegalStateException: no price for lamp\n", poison.messageId())
                .contains(
                        "// Masked in the state: iban.",
                        "// Masked in the body of Priced: iban.",
                        "on instance workshop-7d4f, failed after ");
        assertThat(exceptionOf(poison)).isEqualTo("java.lang.IllegalStateException: no price for lamp");
        failsUntilMended(source, exceptionOf(poison));
    }

    @Test
    void aSagaWaitsForEver() {
        production.publish("room-1", new BookRoom("Ann"));
        production.awaitSaga("room-1", saga -> !saga.timeouts().isEmpty());

        String source = exported("safebunny/sagas/room-1?as=test");

        assertThat(exported("safebunny/sagas/room-1?as=test")).isEqualTo(source);
        assertThat(source).contains("class RoomIncident", "advance(Duration.parse(\"PT72H\"))");
        failsUntilMended(source, "saga Room 'room-1' is ACTIVE", "not to be equal to");
    }

    @Test
    void aParticipantSetsACommandAside() {
        production.publish("parcel-1", new SendParcel(IBAN));
        production.awaitSaga("parcel-1", saga -> !saga.blockedOn().isEmpty());
        PoisonedMessage poison = production.awaitPoison("parcel-1");

        String source = exported("safebunny/sagas/parcel-1?as=test");

        assertThat(source)
                .contains("class PackIncident", "@BunnyTest(properties = \"safebunny.node=workshop\")")
                .contains("// Masked in the body of Pack: iban.", "bunny.as(\"workshop\").deliver(\"Pack\", BODY");
        failsUntilMended(source, exceptionOf(poison), "no paper");
    }

    @Test
    void aSagaHasFailed() {
        production.publish("trip-1", new StartTrip("Riga"));
        production.awaitSaga("trip-1", saga -> saga.status() == SagaStatus.FAILED);

        String source = exported("safebunny/sagas/trip-1?as=test");

        assertThat(source).contains("class TripIncident", "The end of the timeout seat", "// no seat\n");
        failsUntilMended(source, "no seat");
    }

    /** As a user who knows the body that is not stored. */
    private static String written(String source, String type, String body) {
        String unwritten =
                "Write the JSON of this %s here: it was handled, so it is not stored any more.".formatted(type);
        assertThat(source).contains(unwritten, "nothingSetAside()");
        assertThat(GeneratedTest.of(source).failures())
                .singleElement()
                .asString()
                .contains("Cannot read JSON");
        return source.replace("class Loan", "class Written").replace(unwritten, body);
    }

    /** A stored saga would ignore the message that has started it. */
    @Test
    void aSagaHasFailedAtItsStart() {
        production.publish("loan-1", new AskLoan("nobody"));
        production.awaitSaga("loan-1", saga -> saga.status() == SagaStatus.FAILED);

        String source = exported("safebunny/sagas/loan-1?as=test");

        assertThat(source).contains("class LoanIncident").doesNotContain(".stored(");
        failsUntilMended(written(source, "AskLoan", "{\"who\": \"nobody\"}"), "nobody gets no loan");
    }

    /** The same step again would be refused. */
    @Test
    void aSagaHasFailedAfterAStep() {
        production.publish("loan-2", new AskLoan("Ann"));
        production.awaitSaga("loan-2", saga -> true);
        production.publish("loan-2", new LoanChecked(false));
        production.awaitSaga("loan-2", saga -> saga.status() == SagaStatus.FAILED);

        String source = exported("safebunny/sagas/loan-2?as=test");

        assertThat(source).contains(".stored(STORED)").doesNotContain("letter");
        failsUntilMended(written(source, "LoanChecked", "{\"good\": false}"), "no good check");
    }

    @Test
    void anUndoFails() {
        production.publish("gift-1", new GiveGift(IBAN));
        production.awaitSaga("gift-1", saga -> true);
        production.publish("gift-1", new CancelGift("too late"));
        production.awaitSaga("gift-1", saga -> saga.status() == SagaStatus.COMPENSATION_FAILED);
        PoisonedMessage poison = production.awaitPoison("gift-1");

        String source = exported("safebunny/sagas/gift-1?as=test");

        assertThat(source).contains("class UnwrapIncident", "deliver(\"Unwrap\", BODY");
        failsUntilMended(source, exceptionOf(poison), "the gift is open");
    }

    @Test
    void aSagaThatOnlyItsApplicationCanMake() {
        production.publish("stock-1", new FillStock("lamp"));
        production.awaitSaga("stock-1", saga -> true);
        production.publish("stock-1", new Filled(7));
        production.awaitSaga("stock-1", saga -> saga.status() == SagaStatus.STUCK);

        String source = exported("safebunny/sagas/stock-1?as=test");

        assertThat(source)
                .contains("bunny.stored(\"Stock\", \"stock-1\", STORED)", "because only that can make a Stock");
        failsUntilMended(source, exceptionOf(production.awaitPoison("stock-1")), "the shelf is full: 7");
    }

    @Test
    void aPlainHandlerSetsAMessageAside() {
        production.publish("invoice-1", new Invoice("7", IBAN));
        PoisonedMessage poison = production.awaitPoison("invoice-1");

        String source = exported("safebunnypoison/%s?as=test".formatted(poison.messageId()));

        assertThat(source)
                .contains("class InvoiceIncident", "deliver(\"Invoice\", BODY, \"invoice-1\")", "\"iban\": \"***\"");
        assertThat(exceptionOf(poison)).isEqualTo("io.safebunny.PoisonMessageException: SB-3001 invoice 7 is negative");
        failsUntilMended(source, exceptionOf(poison));
    }

    @Test
    void aBodyCannotBeRead() {
        new RawPublisher(Workshop.NODE, production.bean(Transport.class), production.bean(Timeline.class))
                .publish("Reminder", "{\"day\":\"Someday\"}", "reminder-1");
        PoisonedMessage poison = production.awaitPoison("reminder-1");
        assertThat(poison.reason()).isEqualTo("malformed-body");

        String source = exported("safebunnypoison/%s?as=test".formatted(poison.messageId()));

        assertThat(source).contains("class ReminderIncident", "{\"day\":\"Someday\"}");
        failsUntilMended(source, exceptionOf(poison));
    }
}
