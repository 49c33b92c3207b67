// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.Trail;
import io.safebunny.story.BunnyStory;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** The story of an id, as curl gets it. */
@Tag("once")
class StoryOverHttpTest {

    private static final String STORY = "safebunnystory";
    private static final String SECRET = "4111-1111";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(Handler.class)
            .withBean(Order.class)
            .withBean(Auditor.class)
            .withPropertyValues(
                    "management.endpoint.safebunny.show-states=always",
                    "management.endpoint.safebunnypoison.show-bodies=always");

    record Placed(String card) {}

    record Charge(String card) {}

    record Charged(String order) {}

    record State(String card) {}

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(Charge charge) {
            throw new IllegalStateException("the <gateway> is down; end");
        }
    }

    @BunnySaga
    static class Order {
        @Starts
        @BunnyHandler(from = "shop")
        State on(Placed placed, SagaContext saga) {
            saga.step("charge", new Charge(placed.card()));
            return new State(placed.card());
        }

        @BunnyHandler(from = "shop")
        void on(Charged charged, State state, SagaContext saga) {
            saga.complete();
        }
    }

    /** Whose message was set aside. */
    private static void place(AssertableReactiveWebApplicationContext context) {
        Published unused = context.getBean(Bunny.class)
                .publish(new Placed(SECRET), PublishOptions.none().withCorrelationId("order-1"));
        await().until(() -> String.join(
                        " ", context.getBean(BunnyStory.class).of("order-1").sentences())
                .contains("has waited for a repair"));
    }

    private static List<String> read(HttpResponse<String> answer, String path) {
        return JsonPath.read(answer.body(), path);
    }

    @Test
    void tellsInWordsAndInOrderWhatBecameOfAnId() {
        NODE.run(context -> {
            place(context);
            HttpResponse<String> answer = HttpCalls.get(context, STORY + "/order-1");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
            assertThat(read(answer, "$.sentences[*]"))
                    .anyMatch(sentence -> sentence.startsWith("Order order-1 of shop has waited for a repair since ")
                            && sentence.contains(": shop has set aside `Charge` ("));
            assertThat(read(answer, "$.timeline[*].what"))
                    .anyMatch(what -> what.contains("failed after") && what.contains("the <gateway> is down; end"));
            assertThat(read(answer, "$.timeline[*].at"))
                    .extracting(Instant::parse)
                    .isSorted();
            assertThat(read(answer, "$.nodes[*].node")).containsExactly("shop");
            assertThat(read(answer, "$.nodes[0].looked[*].where")).contains("records", "sagas", "poison queue");
            for (String curl : read(answer, "$.next[*].curl")) {
                assertThat(curl).contains("\"${ACTUATOR:-http://localhost:8080/actuator}/safebunny");
            }
        });
    }

    /** Whoever may read the story need not be allowed to see bodies and states, and whoever may sees them elsewhere. */
    @Test
    void showsNeitherBodiesNorStatesAndAuditsNoLook() {
        NODE.run(context -> {
            place(context);
            assertThat(HttpCalls.get(context, "safebunny/sagas/order-1").body()).contains(SECRET);
            int before = context.getBean(Auditor.class).heard().size();

            assertThat(HttpCalls.get(context, STORY + "/order-1").body()).doesNotContain(SECRET);
            assertThat(HttpCalls.get(context, STORY + "/order-1?format=mermaid").body())
                    .doesNotContain(SECRET);
            assertThat(context.getBean(Auditor.class).heard())
                    .hasSize(before)
                    .extracting(AuditEvent::getType)
                    .contains("SAFEBUNNY_LOOK");
        });
    }

    /** Also those that were stored before it was set. */
    @Test
    void textsOfExceptionsAreLeftOutWhereNobodyMaySeeThem() {
        NODE.withPropertyValues("safebunny.poison.exception-details=type-only").run(context -> {
            MessageStore store = context.getBean(MessageStore.class);
            MessageRecord unused = store.create(MessageRecord.claim(
                            new RecordKey("c", "m"), "o", Duration.ZERO, 0, new Fingerprint(Fingerprint.SHA256, 1, 2))
                    .withTrail(Trail.of("Charge")
                            .with(List.of(new Trail.Failure(
                                    Instant.now(), "i", 1, "io.shop.Down", "card " + SECRET, null)))));

            assertThat(HttpCalls.get(context, STORY + "/c").body())
                    .contains("io.shop.Down")
                    .doesNotContain(SECRET);
        });
    }

    @Test
    void drawsTheSame() {
        NODE.run(context -> {
            place(context);
            HttpResponse<String> answer = HttpCalls.get(context, STORY + "/order-1?format=mermaid");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
            assertThat(answer.body())
                    .startsWith("sequenceDiagram\n    participant n0 as shop\n")
                    .contains("    n0->>n0: ", "the #60;gateway#62; is down#59; #101;nd")
                    .doesNotContain("<", "down;");
        });
    }

    /** Whoever accepts anything gets JSON, as before; a format counts more than a header. */
    @ParameterizedTest
    @CsvSource({
        "text/plain,                                      '',            text/plain",
        "text/plain;charset=UTF-8,                        '',            text/plain",
        "text/*,                                          '',            text/plain",
        "*/*,                                             '',            application/json",
        "application/json,                                '',            application/json",
        "'text/html,application/xml;q=0.9,*/*;q=0.8',     '',            application/json",
        "'text/plain, application/json',                  '',            application/json",
        "application/vnd.spring-boot.actuator.v3+json,    '',            application/json",
        "'text/plain, application/json',                  ?format=text,  text/plain",
        "'text/plain, application/json',                  ?format=json,  application/json"
    })
    void answersInTheTypeThatIsAccepted(String accept, String query, String type) {
        NODE.run(context -> {
            place(context);
            for (String path : List.of("/order-1" + query, "?about=order-1" + query.replace('?', '&'))) {
                HttpResponse<String> answer = HttpCalls.send(
                        context, STORY + path, HttpRequest.newBuilder().GET().header("Accept", accept));

                assertThat(answer.statusCode()).as(path).isEqualTo(200);
                assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                        .as(path)
                        .startsWith(type);
                assertThat(answer.body()).as(path).startsWith(type.equals("text/plain") ? "Order order-1 of" : "{");
            }
        });
    }

    @Test
    void theAcceptedTypeIsNoParameter() {
        NODE.run(context -> {
            HttpResponse<String> answer = HttpCalls.get(context, STORY + "/x?accepted=TEXT");

            HttpCalls.isProblem(answer, 400, "it takes format.");
        });
    }

    /** For who has a terminal and no patience. */
    @Test
    void tellsItInText() {
        NODE.run(context -> {
            place(context);
            HttpResponse<String> answer = HttpCalls.get(context, STORY + "/order-1?format=text");

            assertThat(answer.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
            List<String> lines = answer.body().lines().toList();
            List<String> sentences = read(HttpCalls.get(context, STORY + "/order-1"), "$.sentences[*]");
            assertThat(lines).hasSizeGreaterThan(sentences.size()).contains("What helps:");
            assertThat(lines.get(lines.indexOf("What helps:") + 2)).startsWith("# on node shop: ");
            assertThat(lines.get(lines.indexOf("What helps:") + 3)).startsWith("curl -sS ");
            assertThat(answer.body()).doesNotContain(SECRET);
        });
    }

    @Test
    void anIdThatNobodyKnowsGetsAnAnswer() {
        NODE.run(context -> {
            HttpResponse<String> answer = HttpCalls.get(context, STORY + "/nobody%20at%2Fall");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(read(answer, "$.sentences[*]")).contains("Nothing is known of nobody at/all at shop.");
            Object foundAs = JsonPath.read(answer.body(), "$.nodes[0].foundAs");
            assertThat(foundAs).isNull();
            assertThat(read(HttpCalls.get(context, STORY + "?about=.."), "$.sentences[*]"))
                    .contains("Nothing is known of .. at shop.");
        });
    }

    @Test
    void badRequestsAreExplained() {
        NODE.run(context -> {
            for (String[] asked : new String[][] {
                {"", "GET safebunnystory/{id}"},
                {"/x?format=pdf", "format=pdf"},
                {"/x?format=pdf", "json or text or mermaid"},
                {"/x?about=y", "name=about"},
                {"/x?formt=json", "it takes format"},
                {"/%20", "Invalid id of a story"},
                {"/" + "x".repeat(1025), "length=1025"}
            }) {
                HttpResponse<String> answer = HttpCalls.get(context, STORY + asked[0]);
                assertThat(answer.statusCode()).as(asked[0]).isEqualTo(400);
                assertThat((String) JsonPath.read(answer.body(), "$.detail")).contains(asked[1]);
            }
            assertThat(HttpCalls.post(context, STORY + "/x", "{}").statusCode()).isIn(404, 405);
        });
    }

    @Test
    void isNotThereUntilItIsExposed() {
        NODE.withPropertyValues("management.endpoints.web.exposure.include=safebunny")
                .run(context -> assertThat(
                                HttpCalls.get(context, STORY + "/order-1").statusCode())
                        .isEqualTo(404));
    }
}
