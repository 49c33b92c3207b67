// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incidents;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.incidents.Workshop.AskPrice;
import io.safebunny.incidents.Workshop.BookRoom;
import io.safebunny.incidents.Workshop.CheckClaim;
import io.safebunny.incidents.Workshop.GiveGift;
import io.safebunny.incidents.Workshop.Invoice;
import io.safebunny.incidents.Workshop.OpenClaim;
import io.safebunny.incidents.Workshop.Priced;
import io.safebunny.message.Envelope;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.serialization.GzipCodec;
import io.safebunny.test.harness.RawPublisher;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;

/** Who gets a test of what, what is masked in it, and what is refused. */
@Tag("once")
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

    /** Does something while it masks. */
    static class Interrupted {
        private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});

        @Bean
        @Primary
        BodyMasker interrupted() {
            return (message, body) -> {
                meanwhile.get().run();
                return new String(body, StandardCharsets.UTF_8);
            };
        }
    }

    /** Reads gzip, and shows bodies without what made them unreadable. */
    static class Gzip {
        @Bean
        GzipCodec gzip() {
            return new GzipCodec();
        }

        @Bean
        @Primary
        BodyMasker harmless() {
            return (message, body) -> new String(body, StandardCharsets.UTF_8)
                    .replace("secret", "{}")
                    .replace("\"odd\"", "[]");
        }
    }

    static class Around {
        @Bean
        ConsumeMiddleware around() {
            return (context, next) -> next.run();
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

    /** Publishes a body as it is on the wire. */
    private static void send(
            Production production,
            String type,
            String id,
            @Nullable String from,
            @Nullable String encoding,
            byte[] body) {
        Timeline timeline = production.bean(Timeline.class);
        WireMessage wire = new Envelope(
                        "message-" + id,
                        id,
                        type,
                        Workshop.NODE,
                        1,
                        null,
                        0,
                        0,
                        timeline.now().toEpochMilli(),
                        null,
                        Map.of(),
                        Map.of(),
                        "application/json",
                        body)
                .toWire();
        WireMessage sent = new WireMessage(
                wire.messageId(), id, type, from, wire.timestamp(), wire.contentType(), encoding, wire.headers(), body);
        Object unused = production
                .bean(Transport.class)
                .send(
                        new OutboundMessage(
                                sent, new Route.ToSubscribers(Names.address(Workshop.NODE, type)), Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(10), timeline))
                .join();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] gzipped(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(bytes(text));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
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
                    .contains(
                            "Masked in the state: item, iban.",
                            "Masked in the body of Priced: cents, fields that are left out.")
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
        try (Production production =
                production(OtherTypes.class, STATES, BODIES, "safebunny.poison.exception-details=type-only")) {
            stick(production);

            assertThat(source(production, "safebunny/sagas/price-1?as=test").replace("\n// ", " "))
                    .contains("The class cannot read the masked state", "NotHandledException")
                    .doesNotContain("cannot be read by its class");
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
            isProblem(production.get("safebunnypoison/%s?as=test".formatted(id)), 404, id, "is in the archive");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oneTestIsMadeAtATime() {
        try (Production production = production(Interrupted.class, STATES, BODIES)) {
            production.publish("invoice-1", new Invoice("7", "x"));
            String path = "safebunnypoison/%s?as=test"
                    .formatted(production.awaitPoison("invoice-1").messageId());
            AtomicReference<HttpResponse<String>> second = new AtomicReference<>();
            production.bean(Interrupted.class).meanwhile.set(() -> second.set(production.get(path)));

            assertThat(source(production, path)).contains("class InvoiceIncident");

            isProblem(second.get(), 409, "SB-5027", "another one is being made", "Try again");
            production.bean(Interrupted.class).meanwhile.set(() -> {});
            assertThat(source(production, path)).contains("class InvoiceIncident");
        }
    }

    @Test
    void aBodyThatCannotBeReadIsShownOrThereIsNoTest() {
        try (Production production = production(Gzip.class, BODIES)) {
            send(production, "Reminder", "gzip-1", Workshop.NODE, "gzip", gzipped("{\"day\":\"Someday\"}"));
            send(production, "Reminder", "gzip-2", Workshop.NODE, "gzip", bytes("no gzip"));
            send(production, "Reminder", "bytes-1", Workshop.NODE, null, new byte[] {'"', (byte) 0xff, '"'});
            send(production, "Invoice", "hidden-1", Workshop.NODE, null, bytes("secret"));
            send(production, "Reminder", "part-1", Workshop.NODE, null, bytes("{\"day\":\"odd\"}"));

            assertThat(source(production, poison(production, "gzip-1"))).contains("{\"day\":\"Someday\"}");
            isProblem(production.get(poison(production, "gzip-2")), 409, "SB-5027", "cannot be decoded");
            isProblem(production.get(poison(production, "bytes-1")), 409, "SB-5027", "is not UTF-8");
            isProblem(production.get(poison(production, "hidden-1")), 409, "SB-5027", "does not show what is wrong");
            assertThat(source(production, poison(production, "part-1")).replace("\n// ", " "))
                    .contains("a part of it is masked, which may have been the fault");
        }
    }

    /** The path of the test of the only message with that correlation id. */
    private static String poison(Production production, String id) {
        PoisonedMessage message = production.awaitPoison(id);
        assertThat(message.reason()).isEqualTo("malformed-body");
        return "safebunnypoison/%s?as=test".formatted(message.messageId());
    }

    @Test
    void theIdOfASagaIsMaskedUnlessItIsKnown() {
        try (Production production = production(Heard.class, STATES, BODIES)) {
            production.publish("claim-1", new OpenClaim(SECRET));
            String secret = production.awaitPoison("claim-1").messageId();

            isProblem(
                    production.get("safebunnypoison/%s?as=test".formatted(secret)),
                    409,
                    "SB-5027",
                    "the BodyMasker masks the id of its saga");

            production.publish("claim-2", new OpenClaim("claim-2"));
            String known = production.awaitPoison("claim-2").messageId();
            String ofKnown = source(production, "safebunnypoison/%s?as=test".formatted(known));
            assertThat(ofKnown)
                    .contains(
                            "SagaScenario.of(new Workshop.Claim())",
                            "\"iban\": \"claim-2\"",
                            "// Nothing in it is masked: its content is in clear.")
                    .doesNotContain("Masked in", ".stored(");
            assertThat(GeneratedTest.of(ofKnown).failures().get(0)).contains("no claims today");

            Workshop.mended = true;
            production.publish("claim-3", new OpenClaim("claim-3"));
            production.awaitSaga("claim-3", saga -> true);
            Workshop.mended = false;
            production.publish("another-id", new CheckClaim("claim-3"));
            production.awaitSaga("claim-3", saga -> saga.status() == SagaStatus.STUCK);
            PoisonedMessage unused = production.awaitPoison("another-id");

            String stuck = source(production, "safebunny/sagas/claim-3?as=test");
            assertThat(stuck).contains("\"iban\": \"claim-3\"").doesNotContain("Masked in");
            GeneratedTest test = GeneratedTest.of(stuck);
            assertThat(test.failures().get(0)).contains("nobody checks");
            Workshop.mended = true;
            assertThat(test.failures()).isEmpty();
        }
    }

    @Test
    void aMessageOnWhichItsSagaIsNotStuck() {
        try (Production production = production(Heard.class, STATES, BODIES)) {
            stick(production);
            send(production, "Priced", "price-1", Workshop.NODE, null, bytes("{\"item\":\"lamp\",\"cents\":1}"));
            Awaitility.await()
                    .until(() ->
                            production.get("safebunnypoison/message-price-1").statusCode() == 200);

            isProblem(
                    production.get("safebunnypoison/message-price-1?as=test"),
                    409,
                    "SB-5027",
                    "saga Price price-1, which is STUCK, and not stuck on it");
        }
    }

    @Test
    void aSenderNeedNotNameItself() {
        try (Production production = production(Heard.class, BODIES)) {
            send(production, "Invoice", "invoice-1", null, null, bytes("{\"number\":\"7\"}"));

            assertThat(source(
                            production,
                            "safebunnypoison/%s?as=test"
                                    .formatted(
                                            production.awaitPoison("invoice-1").messageId())))
                    .contains("bunny.as(\"workshop\").deliver(\"Invoice\"");
        }
    }

    @Test
    void headersThatAreShownAreALook() {
        try (Production production = production(Words.class, BODIES)) {
            production.publish("note-1", new Note("x"), PublishOptions.none().withHeader("iban", SECRET));
            PoisonedMessage poison = production.awaitPoison("note-1");

            assertThat(source(production, "safebunnypoison/%s?as=test".formatted(poison.messageId())))
                    .contains("It had these headers", "iban=***");

            assertThat(production.bean(Heard.class).all)
                    .singleElement()
                    .asString()
                    .contains("content=body", "copy=" + poison.digest());
        }
    }

    /** A scenario would not have it. */
    @Test
    void anApplicationWithMiddlewaresIsTestedWithThem() {
        try (Production production = production(Around.class, STATES, BODIES)) {
            stick(production);

            assertThat(source(production, "safebunny/sagas/price-1?as=test"))
                    .contains("@BunnyTest(", "because it has middlewares around its handlers", ".stored(\"Price\"");
        }
    }

    /** It has nothing to begin with: the message was to start it. A scenario would not have the mapper that refused the body. */
    @Test
    void aMessageThatStartsNoSaga() {
        try (Production production = production(Heard.class, BODIES)) {
            new RawPublisher(Workshop.NODE, production.bean(Transport.class), production.bean(Timeline.class))
                    .publish("AskPrice", "{\"item\":[]}", "price-2");
            PoisonedMessage poison = production.awaitPoison("price-2");

            String source = source(production, "safebunnypoison/%s?as=test".formatted(poison.messageId()));

            assertThat(source)
                    .contains("@BunnyTest(", "because its settings or its JsonMapper")
                    .doesNotContain(".stored(");
            assertThat(GeneratedTest.of(source).failures().get(0)).contains("malformed-body", poison.exceptionType());
        }
    }
}
