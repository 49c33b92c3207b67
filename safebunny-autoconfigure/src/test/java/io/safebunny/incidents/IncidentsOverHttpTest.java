// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incidents;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.incidents.Workshop.AskPrice;
import io.safebunny.incidents.Workshop.BookRoom;
import io.safebunny.incidents.Workshop.GiveGift;
import io.safebunny.incidents.Workshop.Invoice;
import io.safebunny.incidents.Workshop.Priced;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.test.harness.RawPublisher;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;

/** Who gets a test of what, what is masked in it, and what is refused. */
class IncidentsOverHttpTest {

    private static final String SECRET = "DE-4711";
    private static final String STATES = "management.endpoint.safebunny.show-states=always";
    private static final String BODIES = "management.endpoint.safebunnypoison.show-bodies=always";

    /** Hears what is audited. */
    static class Heard {
        private final List<String> all = new CopyOnWriteArrayList<>();

        @EventListener
        void on(AuditApplicationEvent event) {
            all.add(event.getAuditEvent().getType() + " "
                    + event.getAuditEvent().getData());
        }
    }

    record Note(String text) {}

    static class Hostile {
        @BunnyHandler(from = Workshop.NODE)
        void on(Note note) {
            throw new PoisonMessageException(note.text());
        }
    }

    /** Shows states and bodies in words. */
    static class Words {
        @Bean
        @Primary
        BodyMasker words() {
            return new BodyMasker() {
                @Override
                public String mask(PoisonedMessage message, byte[] body) {
                    return "not shown: bodies are private";
                }

                @Override
                public String maskState(SagaView saga) {
                    return "a state of %s characters".formatted(saga.state().length());
                }
            };
        }
    }

    /** Shows values that no class can read. */
    static class OtherTypes {
        @Bean
        @Primary
        BodyMasker otherTypes() {
            return new BodyMasker() {
                @Override
                public String mask(PoisonedMessage message, byte[] body) {
                    return "{\"item\":\"lamp\",\"cents\":\"many\"}";
                }

                @Override
                public String maskState(SagaView saga) {
                    return "{\"item\":[],\"iban\":{}}";
                }
            };
        }
    }

    @BeforeEach
    void breakIt() {
        Workshop.mended = false;
    }

    private static Production production(Class<?> more, String... properties) {
        String[] all = Stream.concat(Stream.of("safebunny.transport=memory"), Stream.of(properties))
                .toArray(String[]::new);
        return new Production(WebApplicationType.REACTIVE, new Class<?>[] {Heard.class, Hostile.class, more}, all);
    }

    private static void stick(Production production) {
        production.publish("price-1", new AskPrice("lamp", SECRET));
        production.awaitSaga("price-1", saga -> true);
        production.publish("price-1", new Priced("lamp", 1999, SECRET));
        production.awaitSaga("price-1", saga -> saga.status() == SagaStatus.STUCK);
        PoisonedMessage unused = production.awaitPoison("price-1");
    }

    private static void isProblem(HttpResponse<String> answer, int status, String... named) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.body()).contains(named).doesNotContain(SECRET);
    }

    private static String source(Production production, String path) {
        HttpResponse<String> answer = production.get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        byte[] unused = GeneratedTest.compile(answer.body());
        return answer.body();
    }

    @Test
    void whoeverMayNotSeeTheContentGetsNoTest() {
        for (List<String> rights : List.of(List.<String>of(), List.of(STATES), List.of(BODIES))) {
            try (Production production = production(Heard.class, rights.toArray(String[]::new))) {
                stick(production);
                String missing = rights.contains(STATES)
                        ? "management.endpoint.safebunnypoison.show-bodies"
                        : "management.endpoint.safebunny.show-states";

                isProblem(production.get("safebunny/sagas/price-1?as=test"), 403, "User anonymous", "Set " + missing);

                List<String> heard = production.bean(Heard.class).all;
                assertThat(heard).hasSize(1);
                assertThat(heard.get(0)).startsWith("SAFEBUNNY_REFUSED").contains("endpoint=safebunny", missing);
            }
        }
        try (Production production = production(Heard.class, STATES)) {
            production.publish("invoice-1", new Invoice("7", SECRET));
            String id = production.awaitPoison("invoice-1").messageId();

            isProblem(production.get("safebunnypoison/" + id + "?as=test"), 403, "safebunnypoison.show-bodies");
            isProblem(production.get("safebunnypoison?as=test&messageId=" + id), 403, "safebunnypoison.show-bodies");
        }
    }

    @Test
    void eachContentInATestIsALook() {
        try (Production production = production(Heard.class, STATES, BODIES)) {
            stick(production);
            PoisonedMessage poison = production.awaitPoison("price-1");

            String source = source(production, "safebunny/sagas?sagaId=price-1&saga=Price&as=test");

            assertThat(source).doesNotContain(SECRET).contains("// Masked in the state: iban.");
            assertThat(production.bean(Heard.class).all).hasSize(2).allSatisfy(look -> assertThat(look)
                    .startsWith("SAFEBUNNY_LOOK")
                    .doesNotContain("lamp"));
            assertThat(String.join("\n", production.bean(Heard.class).all))
                    .contains("content=state", "sagaId=price-1", "saga=Price")
                    .contains("content=body", "messageId=" + poison.messageId(), "copy=" + poison.digest());
        }
    }

    /** Also in the commands and undos that a saga keeps. */
    @Test
    void commandsAndUndosAreMasked() {
        try (Production production = production(Heard.class, STATES, BODIES)) {
            production.publish("gift-1", new GiveGift(SECRET));
            production.awaitSaga("gift-1", saga -> true);

            assertThat(source(production, "safebunny/sagas/gift-1?as=test"))
                    .contains("// Masked in the body of Wrap: iban.", "// Masked in the body of Unwrap: iban.")
                    .doesNotContain(SECRET);
            assertThat(production.bean(Heard.class).all).hasSize(3);
        }
    }

    @Test
    void saysWhatAMaskHasMadeUnreadable() {
        try (Production production = production(Words.class, STATES, BODIES)) {
            stick(production);

            assertThat(source(production, "safebunny/sagas/price-1?as=test").replace("\n// ", " "))
                    .contains("Masked: the state.", "The state is empty here", "of which the BodyMasker shows nothing")
                    .contains("The handler cannot read the masked body", "not shown: bodies are private")
                    .doesNotContain(SECRET, "lamp\"");
        }
        try (Production production = production(OtherTypes.class, STATES, BODIES)) {
            stick(production);

            assertThat(source(production, "safebunny/sagas/price-1?as=test").replace("\n// ", " "))
                    .contains("Masked in the state: item, iban.", "Masked in the body of Priced: cents, iban.")
                    .contains("The class cannot read the masked state", "The handler cannot read the masked body")
                    .doesNotContain(SECRET);
        }
    }

    @Test
    void typeOnlyShowsNoTextOfAnException() {
        try (Production production =
                production(Heard.class, STATES, BODIES, "safebunny.poison.exception-details=type-only")) {
            stick(production);

            assertThat(source(production, "safebunny/sagas/price-1?as=test"))
                    .contains("// java.lang.IllegalStateException\n")
                    .doesNotContain("no price");
        }
    }

    /** The compiler has accepted it, and found one class in it. */
    @Test
    void nothingThatASenderWritesGetsOut() {
        String hostile = "\"\"\" + evil() + \"\"\" */ \\u002a\\u002f\n\\u000a } static { evil(); } // \u2028 \\";
        try (Production production = production(Heard.class, BODIES)) {
            production.publish(
                    "note-1",
                    new Note(hostile),
                    PublishOptions.none().withHeader("iban", SECRET).withHeader("*/ evil(); \\u000a", hostile));
            String id = production.awaitPoison("note-1").messageId();

            assertThat(source(production, "safebunnypoison/%s?as=test".formatted(id)))
                    .contains("It had these headers", "iban=***")
                    .doesNotContain(SECRET);
        }
    }

    @Test
    void saysWhyThereIsNoTest() {
        try (Production production = production(Heard.class, STATES, BODIES)) {
            stick(production);
            String id = production.awaitPoison("price-1").messageId();
            production.publish("room-1", new BookRoom("Ann"));
            production.awaitSaga("room-1", saga -> true);
            production.bean(Sagas.class).fail("Room", "room-1", "not wanted");
            production.awaitSaga("room-1", saga -> saga.reason() != null);

            isProblem(
                    production.get("safebunnypoison/%s?as=test".formatted(id)),
                    409,
                    "SB-5027",
                    "sagas/price-1?as=test");
            isProblem(production.get("safebunny/sagas/room-1?as=test"), 409, "SB-5027", "an operator made it fail");
            isProblem(production.get("safebunny/sagas/nobody?as=test"), 404, "id=nobody");
            isProblem(production.get("safebunny/sagas/price-1?as=java"), 400, "as=java", "must be test");
            isProblem(production.get("safebunny/sagas/price-1?as=test&content=false"), 400, "content=false");
            isProblem(production.get("safebunny/sagas?as=test"), 400, "as=test", "it is for one saga");
            isProblem(production.get("safebunnypoison/nobody?as=test"), 404, "id=nobody");
            isProblem(production.get("safebunnypoison?as=test"), 400, "as=test", "it is for one message");
            isProblem(production.get("safebunnypoison/%s?copy=x".formatted(id)), 400, "copy=x");
            isProblem(production.get("safebunnypoison/%s?as=test&copy=x".formatted(id)), 404, id);
            assertThat(production.bean(Heard.class).all).isEmpty();

            production
                    .bean(PoisonMessages.class)
                    .discard(PoisonRequest.of(PoisonFilter.all().withMessageId(id), "test", "gone"))
                    .await(Duration.ofSeconds(10));
            isProblem(
                    production.get("safebunny/sagas/price-1?as=test"),
                    409,
                    "SB-5027",
                    id,
                    "is not in the poison queue");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** It has nothing to begin with: the message was to start it. */
    @Test
    void aMessageThatStartsNoSaga() {
        try (Production production = production(Heard.class, BODIES)) {
            new RawPublisher(Workshop.NODE, production.bean(Transport.class), production.bean(Timeline.class))
                    .publish("AskPrice", "{\"item\":[]}", "price-2");
            PoisonedMessage poison = production.awaitPoison("price-2");

            String source = source(production, "safebunnypoison/%s?as=test".formatted(poison.messageId()));

            assertThat(source).contains("SagaScenario.of(new Workshop.Price())").doesNotContain(".stored(");
            assertThat(GeneratedTest.of(source).failures().get(0)).contains("malformed-body", poison.exceptionType());
        }
    }
}
