// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.isProblem;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.test.encryption.MemoryKeys;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Over HTTP: sagas are found, listed and repaired. */
@Tag("once")
class SagasOverHttpTest {

    private static final String SAGAS = "safebunny/sagas";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(Order.class)
            .withBean(Gift.class)
            .withBean(Billing.class)
            .withBean(Auditor.class);

    record PlaceOrder(BigDecimal amount) {}

    record GiveAway(int gifts) {}

    record Add(BigDecimal amount) {}

    record Pay(String orderId) {}

    record Close(String orderId) {}

    record Reserve(String orderId) {}

    record Deposit(String orderId) {}

    record Charge(String orderId) {}

    record Refund(String orderId) {}

    record Whisper(String text) {}

    @BunnySaga
    @Encrypted(key = "orders")
    static class Secretive {
        record Heard(String text) {}

        @Starts
        @BunnyHandler(from = "shop")
        Heard on(Whisper whisper) {
            return new Heard(whisper.text());
        }
    }

    @BunnySaga
    static class Order {
        record State(BigDecimal amount, String secret) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(PlaceOrder order) {
            return new State(order.amount(), "4711");
        }

        @BunnyHandler(from = "shop")
        void on(Pay pay, SagaContext saga) {
            saga.step("charge", new Charge(saga.sagaId()), new Refund(saga.sagaId()));
        }

        @BunnyHandler(from = "shop")
        void on(Reserve reserve, SagaContext saga) {
            saga.step("deposit", new Deposit(saga.sagaId()));
        }

        @BunnyHandler(from = "shop")
        void on(Close close, SagaContext saga) {
            saga.complete();
        }

        @BunnyHandler(from = "shop")
        void on(Add add) {
            throw new PoisonMessageException("nothing can be added");
        }
    }

    @BunnySaga
    static class Gift {
        record Count(int gifts) {}

        @Starts
        @BunnyHandler(from = "shop")
        Count on(GiveAway gifts) {
            return new Count(gifts.gifts());
        }
    }

    static class Billing {
        private volatile boolean works;

        @BunnyHandler(from = "shop")
        void on(Charge charge) {
            if (!works) {
                throw new PoisonMessageException("the bank is closed");
            }
        }

        @BunnyHandler(from = "shop")
        void on(Deposit deposit) {} // without an answer

        @BunnyHandler(from = "shop")
        void on(Refund refund) {}
    }

    private static void publish(AssertableReactiveWebApplicationContext context, String id, Object... messages) {
        for (Object message : messages) {
            context.getBean(Bunny.class).publish(message, PublishOptions.none().withCorrelationId(id));
            await().until(() -> !context.getBean(Sagas.class).find(id).isEmpty());
        }
    }

    private static PlaceOrder order() {
        return new PlaceOrder(new BigDecimal("10000000.00"));
    }

    private static SagaView saga(AssertableReactiveWebApplicationContext context, String id) {
        return context.getBean(Sagas.class).find("Order", id).orElseThrow();
    }

    private static void awaitStatus(AssertableReactiveWebApplicationContext context, String id, SagaStatus status) {
        await().until(() -> saga(context, id).status() == status);
    }

    private static void stick(AssertableReactiveWebApplicationContext context, String id) {
        publish(context, id, order(), new Add(BigDecimal.ONE));
        awaitStatus(context, id, SagaStatus.STUCK);
    }

    private static void block(AssertableReactiveWebApplicationContext context, String id) {
        publish(context, id, order(), new Pay(id));
        await().until(() -> !saga(context, id).blockedOn().isEmpty());
    }

    private static List<String> ids(AssertableReactiveWebApplicationContext context, String query) {
        return read(get(context, SAGAS + query), "$.sagas[*].id");
    }

    private static List<String> history(AssertableReactiveWebApplicationContext context, String id) {
        return read(get(context, SAGAS + "/" + id), "$.sagas[0].history[*].what");
    }

    @Test
    void listsByState() {
        NODE.run(context -> {
            publish(context, "runs", order());
            stick(context, "sticks");
            block(context, "blocks");
            publish(context, "ends", order(), new Close("ends"));
            awaitStatus(context, "ends", SagaStatus.COMPLETED);
            publish(context, "gift", new GiveAway(1));

            assertThat(ids(context, "?state=running")).containsExactly("runs", "blocks", "gift");
            assertThat(ids(context, "?state=stuck")).containsExactly("sticks");
            assertThat(ids(context, "?state=blocked")).containsExactly("blocks");
            assertThat(ids(context, "?state=ended")).containsExactly("ends");
            assertThat(ids(context, "?state=completed")).containsExactly("ends");
            assertThat(ids(context, "?state=failed")).isEmpty();
            assertThat(ids(context, "?state=all")).containsExactly("runs", "sticks", "blocks", "ends", "gift");
            assertThat(ids(context, "?saga=Gift")).containsExactly("gift");
            String blockedOn = read(get(context, SAGAS + "?state=blocked"), "$.sagas[0].blockedOn[0].type");
            assertThat(blockedOn).isEqualTo("Charge");

            block(context, "both");
            publish(context, "both", new Add(BigDecimal.ONE));
            awaitStatus(context, "both", SagaStatus.STUCK);
            assertThat(saga(context, "both").blockedOn()).isNotEmpty();
            assertThat(ids(context, "?state=blocked")).as("as they are counted").containsExactly("blocks");
            assertThat(ids(context, "?state=stuck")).containsExactly("sticks", "both");
        });
    }

    /** Not only in its history. */
    @Test
    void saysOnWhatASagaIsStuckAndHowThatHasFailed() {
        NODE.run(context -> {
            stick(context, "sticks");

            Map<String, Object> stuck = read(get(context, SAGAS + "/sticks"), "$.sagas[0].stuckOn");
            Map<String, Object> listed = read(get(context, SAGAS + "?state=stuck"), "$.sagas[0].stuckOn");

            assertThat(stuck)
                    .containsOnlyKeys("messageId", "node", "since", "type", "exception", "text")
                    .containsEntry("node", "shop")
                    .containsEntry("type", "Add")
                    .containsEntry("exception", "io.safebunny.PoisonMessageException");
            assertThat(stuck.get("text")).asString().contains("nothing can be added");
            assertThat(listed)
                    .containsEntry("messageId", stuck.get("messageId"))
                    .containsEntry("since", stuck.get("since"))
                    .containsEntry("type", "Add")
                    .containsEntry("exception", "io.safebunny.PoisonMessageException");

            context.getBean(Sagas.class).resume("Order", "sticks", "it is not needed");
            awaitStatus(context, "sticks", SagaStatus.ACTIVE);
            Map<String, Object> resumed = read(get(context, SAGAS + "/sticks"), "$.sagas[0]");
            assertThat(resumed).containsEntry("stuckOn", null);
        });
        NODE.withPropertyValues("safebunny.poison.exception-details=type-only").run(context -> {
            stick(context, "sticks");
            Map<String, Object> stuck = read(get(context, SAGAS + "/sticks"), "$.sagas[0].stuckOn");
            assertThat(stuck)
                    .containsEntry("exception", "io.safebunny.PoisonMessageException")
                    .containsEntry("text", null);
        });
    }

    private static Map<String, Object> counts(AssertableReactiveWebApplicationContext context) {
        return read(get(context, SAGAS), "$");
    }

    @Test
    void countsThemAndSaysWhen() {
        NODE.withPropertyValues("safebunny.dedup.lease=1s").run(context -> {
            block(context, "blocks");

            await().untilAsserted(() -> assertThat(counts(context))
                    .containsOnlyKeys("asOf", "needingRepair", "blocked", "undoing")
                    .containsEntry("blocked", Map.of("Order", 1)));
        });
    }

    @Test
    void pagesThroughThemTheOldestFirst() {
        NODE.run(context -> {
            List<String> started = new ArrayList<>();
            for (int i = 0; i < 11; i++) {
                publish(context, "o:" + i, order());
                started.add("o:" + i);
            }

            List<String> seen = new ArrayList<>();
            String after = "";
            while (after != null) {
                Map<String, Object> page = read(get(context, SAGAS + "?limit=4" + after), "$");
                List<?> sagas = (List<?>) Objects.requireNonNull(page.get("sagas"));
                assertThat(sagas).hasSizeLessThanOrEqualTo(4);
                sagas.forEach(saga -> seen.add(String.valueOf(((Map<?, ?>) saga).get("id"))));
                after = page.get("next") == null ? null : "&after=" + page.get("next");
            }
            assertThat(seen).containsExactlyElementsOf(started);
        });
    }

    @Test
    void listsThoseOfAnAge() {
        NODE.run(context -> {
            publish(context, "o-1", order());
            publish(context, "o-2", order());

            assertThat(ids(context, "?olderThan=0s")).containsExactly("o-1", "o-2");
            Map<String, Object> none = read(get(context, SAGAS + "?olderThan=1h&limit=1"), "$");
            assertThat(none).containsEntry("sagas", List.of()).containsEntry("next", null);
        });
    }

    @Test
    void findsByIdWithTheHistoryOfEachAndWithoutStates() {
        NODE.run(context -> {
            publish(context, "order:4.2_a-b", order(), new GiveAway(3));
            await().until(() ->
                    context.getBean(Sagas.class).find("order:4.2_a-b").size() == 2);

            for (String path : List.of("/order:4.2_a-b", "/order%3A4.2_a-b", "?sagaId=order:4.2_a-b")) {
                List<String> names = read(get(context, SAGAS + path), "$.sagas[*].saga");
                assertThat(names).containsExactlyInAnyOrder("Order", "Gift");
            }
            List<String> one = read(get(context, SAGAS + "/order:4.2_a-b?saga=Gift"), "$.sagas[*].saga");
            assertThat(one).containsExactly("Gift");
            assertThat(get(context, SAGAS + "/order:4.2_a-b").body())
                    .contains("history", "\"version\":1")
                    .doesNotContain("4711");
        });
    }

    /** Dots alone never arrive in a path. */
    @Test
    void anIdOfDotsIsFoundAndRepairedByAParameter() {
        NODE.run(context -> {
            stick(context, "..");

            assertThat(ids(context, "?sagaId=..")).containsExactly("..");
            String outcome = read(
                    post(context, SAGAS, "{'action':'resume','sagaId':'..','saga':'Order','reason':'why'}"),
                    "$.outcome");
            assertThat(outcome).isEqualTo("DONE");
        });
    }

    @Test
    void showsStatesWhereThatIsAllowedWithAllTheirDigits() {
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                .run(context -> {
                    publish(context, "o-1", order());
                    String state = read(get(context, SAGAS + "/o-1"), "$.sagas[0].state");
                    assertThat(state).contains("4711", "10000000.00");
                    assertThat(get(context, SAGAS + "?state=all").body()).doesNotContain("4711");
                });
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=when-authorized")
                .run(context -> {
                    publish(context, "o-1", order());
                    assertThat(get(context, SAGAS + "/o-1").body())
                            .contains("o-1")
                            .doesNotContain("4711");
                });
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                .withBean(BodyMasker.class, () -> (message, body) -> "***")
                .run(context -> {
                    publish(context, "o-1", order());
                    assertThat(get(context, SAGAS + "/o-1").body())
                            .contains("not shown: the BodyMasker does not mask states")
                            .doesNotContain("4711");
                });
    }

    @Test
    void anEncryptedStateIsNeitherShownNorPatched() {
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                .withBean(KeyProvider.class, () -> MemoryKeys.of("orders"))
                .withBean(Secretive.class)
                .withBean(BodyMasker.class, BodyMasker::none)
                .run(context -> {
                    publish(context, "o-1", new Whisper("4711"));
                    assertThat(get(context, SAGAS + "/o-1").body())
                            .contains("not shown: it is encrypted", "\"shown\":false")
                            .doesNotContain("4711", "sealed:");
                    assertThat(context.getBean(Auditor.class).heard()).isEmpty();

                    isProblem(
                            post(
                                    context,
                                    SAGAS + "/o-1",
                                    "{\"action\":\"patch\",\"version\":1,\"state\":\"{}\",\"reason\":\"a typo\"}"),
                            409,
                            "encrypted");
                });
    }

    @Test
    void aLookAtAStateIsAuditedAndThereIsOneWithoutIt() {
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                .run(context -> {
                    publish(context, "o-1", order());

                    assertThat(get(context, SAGAS + "/o-1?content=false").body())
                            .contains("history")
                            .doesNotContain("4711");
                    assertThat(context.getBean(Auditor.class).heard()).isEmpty();
                    isProblem(get(context, SAGAS + "?state=all&content=false"), 400, "content=false");

                    get(context, SAGAS + "/o-1");
                    assertThat(context.getBean(Auditor.class).heard())
                            .singleElement()
                            .satisfies(event -> assertThat(event.getType()).isEqualTo("SAFEBUNNY_LOOK"))
                            .satisfies(event -> assertThat(event.getData())
                                    .isEqualTo(Map.of("content", "state", "saga", "Order", "sagaId", "o-1")));
                });
    }

    @Test
    void resumesFailsAndIsAudited() {
        NODE.withPropertyValues("management.endpoint.safebunny.show-audit=always")
                .run(context -> {
                    stick(context, "o-1");

                    String resumed = read(
                            post(context, SAGAS + "/o-1", "{'action':'resume','reason':'it is mended'}"),
                            "$.saga.status");
                    assertThat(resumed).isEqualTo("ACTIVE");
                    String failed = read(
                            post(context, SAGAS + "/o-1", "{'action':'fail','reason':'not wanted'}"), "$.saga.status");
                    assertThat(failed).isEqualTo("FAILED");

                    assertThat(history(context, "o-1")).contains("RESUME: it is mended", "FAIL: not wanted");
                    assertThat(context.getBean(Auditor.class).heard())
                            .filteredOn(event -> event.getType().startsWith("SAFEBUNNY_SAGA"))
                            .extracting(AuditEvent::getType)
                            .containsExactly("SAFEBUNNY_SAGA_RESUME", "SAFEBUNNY_SAGA_FAIL");
                    assertThat(context.getBean(Auditor.class).heard())
                            .filteredOn(event -> event.getType().equals("SAFEBUNNY_SAGA_FAIL"))
                            .singleElement()
                            .satisfies(event -> assertThat(event.getPrincipal()).isEqualTo("anonymous"))
                            .satisfies(event -> assertThat(event.getData())
                                    .containsOnlyKeys("saga", "sagaId", "reason", "repair")
                                    .containsAllEntriesOf(
                                            Map.of("saga", "Order", "sagaId", "o-1", "reason", "not wanted")));
                    HttpResponse<String> audit = get(context, "safebunny/audit");
                    List<String> results = read(audit, "$.events[*].result");
                    assertThat(results).containsExactly("DONE", "DONE");
                    List<String> details = read(audit, "$.events[*].detail");
                    assertThat(details).containsExactly("the saga is FAILED now", "the saga is FAILED now");
                });
    }

    @Test
    void retriesWhatIsBlockedAndSkipsAStep() {
        NODE.run(context -> {
            block(context, "o-1");
            block(context, "o-2");

            Map<String, Object> skipped = read(
                    post(context, SAGAS + "/o-2", "{'action':'skip','step':'charge','reason':'was paid in cash'}"),
                    "$");
            assertThat(skipped).containsEntry("outcome", "DONE").containsEntry("needsPerson", true);
            assertThat(skipped.get("note"))
                    .asString()
                    .contains("nothing is known to be under way", "fail it", "state=blocked");
            assertThat(saga(context, "o-2").blockedOn()).isEmpty();
            assertThat(ids(context, "?state=blocked")).containsExactly("o-1", "o-2");
            String since = read(get(context, SAGAS + "?state=blocked"), "$.sagas[1].idleSince.what");
            assertThat(since).isEqualTo("SKIP: was paid in cash");
            assertThat(saga(context, "o-2").steps())
                    .extracting(SagaView.Step::status)
                    .containsExactly(SagaView.StepStatus.SKIPPED);
            context.getBean(Billing.class).works = true;
            Map<String, Object> retried =
                    read(post(context, SAGAS + "/o-1", "{'action':'retry','reason':'the bank is open'}"), "$");
            assertThat(retried).containsEntry("outcome", "DONE").containsEntry("needsPerson", false);
            assertThat(retried.get("note")).asString().contains("not known yet", "safebunnystory/o-1");
            assertThat(saga(context, "o-1").blockedOn()).isEmpty();
        });
    }

    /** To fail it would undo what goes well. */
    @Test
    void aSagaWithACommandInFlightNeedsNobodyAfterASkip() {
        NODE.run(context -> {
            block(context, "o-1");
            publish(context, "o-1", new Reserve("o-1"));
            await().until(() -> saga(context, "o-1").steps().size() == 2);

            Map<String, Object> skipped = read(
                    post(context, SAGAS + "/o-1", "{'action':'skip','step':'charge','reason':'was paid in cash'}"),
                    "$");

            assertThat(skipped).containsEntry("outcome", "DONE").containsEntry("needsPerson", false);
            assertThat(skipped.get("note")).asString().contains("Look again").doesNotContain("fail");
            assertThat(ids(context, "?state=blocked")).isEmpty();
        });
    }

    @Test
    void patchesUnlessTheSagaHasChangedSince() {
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                .run(context -> {
                    publish(context, "o-1", order());
                    String patch =
                            "{'action':'patch','version':%s,'state':'{\\'amount\\':0.50,\\'secret\\':\\'8\\'}','reason':'%s'}"
                                    .replace("\\'", "\\\"");

                    Map<String, Object> saga =
                            read(post(context, SAGAS + "/o-1", patch.formatted(1, "a typo")), "$.saga");
                    assertThat(saga).containsEntry("shown", false).doesNotContainKey("state");
                    String state = read(get(context, SAGAS + "/o-1"), "$.sagas[0].state");
                    assertThat(state).isEqualTo("{\"amount\":0.50,\"secret\":\"8\"}");
                    isProblem(
                            post(context, SAGAS + "/o-1", patch.formatted(1, "again")), 409, "version 1 was expected");
                    assertThat(history(context, "o-1"))
                            .contains("PATCH: a typo")
                            .anySatisfy(what -> assertThat(what).startsWith("refused PATCH (again): it has changed"));
                    isProblem(
                            post(
                                    context,
                                    SAGAS + "/o-1",
                                    patch.formatted(3, "no such type").replace("0.50", "\\\"none\\\"")),
                            409,
                            "the state is refused");
                });
    }

    /** Beside the version that a patch of it must name. */
    @Test
    void saysWhetherAStateIsShownAndWhetherItIsMasked() {
        NODE.run(context -> {
            publish(context, "o-1", order());
            Map<String, Object> saga = read(get(context, SAGAS + "/o-1"), "$.sagas[0]");
            assertThat(saga).containsEntry("shown", false).containsEntry("masked", false);
        });
        for (boolean masks : List.of(true, false)) {
            NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                    .withBean(BodyMasker.class, () -> BodyMasker.fields(masks ? "secret" : "iban"))
                    .run(context -> {
                        publish(context, "o-1", order());
                        Map<String, Object> saga = read(get(context, SAGAS + "/o-1"), "$.sagas[0]");
                        assertThat(saga)
                                .containsEntry("shown", true)
                                .containsEntry("masked", masks)
                                .containsEntry("version", 1)
                                .containsKey("state");
                    });
        }
    }

    /** Sending back what was shown would replace the value for good. */
    @Test
    void takesNoPatchThatBringsTheMaskBack() {
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                .withBean(BodyMasker.class, () -> BodyMasker.fields("secret"))
                .run(context -> {
                    publish(context, "o-1", order());
                    String patch =
                            "{'action':'patch','version':1,'state':'{\\'amount\\':1,\\'secret\\':\\'%s\\'}','reason':'why'}"
                                    .replace("\\'", "\\\"");

                    isProblem(post(context, SAGAS + "/o-1", patch.formatted("***")), 400, "value of secret");
                    assertThat(saga(context, "o-1").version()).isEqualTo(1);
                    String outcome = read(post(context, SAGAS + "/o-1", patch.formatted("4711")), "$.outcome");
                    assertThat(outcome).isEqualTo("DONE");
                    assertThat(saga(context, "o-1").state()).contains("4711");
                });
    }

    @Test
    void aRepairIsNoLookAtTheState() {
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                .run(context -> {
                    stick(context, "o-1");

                    HttpResponse<String> resumed =
                            post(context, SAGAS + "/o-1", "{'action':'resume','reason':'it is mended'}");
                    assertThat(resumed.body()).contains("DONE").doesNotContain("4711");
                    assertThat((String) read(resumed, "$.instance"))
                            .isEqualTo(context.getBean(BunnyOperations.class).instance());
                    assertThat(context.getBean(Auditor.class).heard())
                            .extracting(AuditEvent::getType)
                            .containsExactly("SAFEBUNNY_SAGA_RESUME");
                });
    }

    /** Path, body, status and what the answer names. */
    private static final String REFUSED = """
            /nobody  | {'action':'resume','reason':'why'}                             | 404 | id=nobody
            /a/b%20c | {'action':'resume','reason':'why'}                             | 404 | a/b c
            /%E2%98%83 | {'action':'resume','reason':'why'}                           | 404 | SB-5012
            /o-1     | {'action':'resume','saga':'Nope','reason':'why'}               | 404 | Nope
            /o-1     | {'action':'retry','reason':'why'}                              | 409 | it is not blocked
            /o-1     | {'action':'resume','reason':'why'}                             | 409 | it is ACTIVE
            /o-1     | {'action':'skip','step':'none','reason':'why'}                 | 409 | no step of that name
            /o-1     | {'action':'burn','reason':'why'}                               | 400 | action=burn
            /o-1     | {'reason':'why'}                                               | 400 | action=missing
            /o-1     | {'action':'fail'}                                              | 400 | reason=missing
            /o-1     | {'action':'fail','reason':' '}                                 | 400 | reason
            /o-1     | {'action':'fail','reason':'half \\ud83d'}                      | 400 | half of a character
            /o-1     | {'action':'skip','reason':'why'}                               | 400 | step=missing
            /o-1     | {'action':'fail','step':'charge','reason':'why'}               | 400 | step=charge
            /o-1     | {'action':'patch','state':'{}','reason':'why'}                 | 400 | version=missing
            /o-1     | {'action':'patch','version':1,'reason':'why'}                  | 400 | state=missing
            /o-1     | {'action':'patch','version':'x','state':'{}','reason':'why'}   | 400 | version=x
            /o-1     | {'action':'patch','version':1,'state':'[4712]','reason':'why'} | 400 | JSON object
            /o-1     | {'action':'patch','version':1,'state':'{4712','reason':'why'}  | 400 | JSON object
            /o-1     | {'action':'resume','Reason':'why'}                             | 400 | name=Reason
            /o-1     | {'action':'resume','reason':'why','sagaId':'o-2'}              | 400 | sagaId=o-2
            /o-1     | {'action':'resume','reason':'why','duration':'10m'}            | 400 | duration=10m
            ?        | {'action':'resume','reason':'why'}                             | 400 | sagaId=missing
            /both    | {'action':'fail','reason':'why'}                               | 400 | name one of
            """;

    private static List<String[]> rows(String table) {
        return table.lines()
                .map(line -> Stream.of(line.split("\\|")).map(String::strip).toArray(String[]::new))
                .toList();
    }

    @Test
    void saysWhatIsWrongAndRepairsNothing() {
        NODE.run(context -> {
            publish(context, "o-1", order());
            publish(context, "both", order(), new GiveAway(1));
            await().until(() -> context.getBean(Sagas.class).find("both").size() == 2);
            long changes = 1;

            for (String[] row : rows(REFUSED)) {
                int status = Integer.parseInt(row[2]);
                isProblem(post(context, SAGAS + row[0], row[1]), status, row[3]);

                changes += status == 409 ? 1 : 0; // the saga itself refused it, which its history tells
                assertThat(saga(context, "o-1").version()).as(row[1]).isEqualTo(changes);
            }
            assertThat(saga(context, "o-1").status()).isEqualTo(SagaStatus.ACTIVE);
            assertThat(saga(context, "both").version()).isEqualTo(1);
        });
    }

    @Test
    void saysWhatIsWrongWithALook() {
        NODE.run(context -> {
            publish(context, "o-1", order());

            for (String[] row : rows("""
                    safebunny/sagas/nobody                | 404 | id=nobody
                    safebunny/sagas/a/b                   | 404 | a/b
                    safebunny/sagas/%E2%98%83             | 404 | SB-5012
                    safebunny/sagas/o-1?saga=Nope         | 404 | Nope
                    safebunny/sagas?saga=Nope             | 404 | Nope
                    safebunny/sagas?state=open            | 400 | running or stuck or blocked or completed or failed or ended or all
                    safebunny/sagas?limit=101             | 400 | limit=101
                    safebunny/sagas?limit=0               | 400 | limit=0
                    safebunny/sagas?after=yesterday       | 400 | after=yesterday
                    safebunny/sagas?olderThan=10          | 400 | olderThan=10
                    safebunny/sagas?olderThan=-1s         | 400 | olderThan=-1s
                    safebunny/sagas?olderThan=3651d       | 400 | olderThan=3651d
                    safebunny/sagas/o-1?olderThan=1h      | 400 | olderThan=1h
                    safebunny/sagas?status=STUCK          | 400 | name=status
                    safebunny/sagas/o-1?state=ended       | 400 | state=ended
                    safebunny/sagas/o-1?sagaId=o-2        | 400 | sagaId=o-2
                    safebunny/sagas/o-1?action=fail       | 400 | action=fail
                    safebunny/breakers?limit=3            | 400 | limit=3
                    safebunny/breakers/Charge?saga=Order  | 400 | saga=Order
                    """)) {
                isProblem(get(context, row[0]), Integer.parseInt(row[1]), row[2]);
            }
            assertThat(saga(context, "o-1").version()).isEqualTo(1);
        });
    }

    @Test
    void aRepairThatWaitsForItsTurnIsSent() {
        NODE.run(context -> {
            block(context, "o-1");
            post(context, "safebunny/breakers/BunnyRepair", "{'state':'open','duration':'1h','reason':'why'}");

            Map<String, Object> answer =
                    read(post(context, SAGAS + "/o-1", "{'action':'fail','reason':'not wanted'}"), "$");
            assertThat(answer).containsEntry("outcome", "SENT").containsEntry("needsPerson", false);
            assertThat(answer.get("note")).asString().contains("the saga has not handled it yet", "Look again");
            post(context, "safebunny/breakers/BunnyRepair", "{'state':'closed','reason':'why'}");
            awaitStatus(context, "o-1", SagaStatus.FAILED);
        });
    }

    @Test
    void nothingIsRepairedWithoutAccessOrByAnotherMethod() {
        NODE.withPropertyValues("management.endpoint.safebunny.access=read-only")
                .run(context -> {
                    publish(context, "o-1", order());
                    assertThat(post(context, SAGAS + "/o-1", "{'action':'fail','reason':'why'}")
                                    .statusCode())
                            .isEqualTo(405);
                    assertThat(ids(context, "?state=all")).containsExactly("o-1");
                    assertThat(saga(context, "o-1").version()).isEqualTo(1);
                });
        NODE.run(context -> {
            publish(context, "o-1", order());
            HttpRequest.Builder delete = HttpRequest.newBuilder().DELETE();
            isProblem(HttpCalls.send(context, SAGAS + "/o-1", delete), 404, "POST sagas/{id}");
            HttpRequest.Builder put = HttpRequest.newBuilder().PUT(BodyPublishers.ofString("{}"));
            assertThat(HttpCalls.send(context, SAGAS + "/o-1", put).statusCode())
                    .isEqualTo(405);
            assertThat(saga(context, "o-1").version()).isEqualTo(1);
        });
    }

    @Test
    void theCommandsOfTheRunbookWork() throws IOException {
        Pattern command =
                Pattern.compile("curl -sS (?:-H \"\\$JSON\" -d '([^']*)' )?\"\\$ACTUATOR/(safebunny/sagas[^\"]*)\"");
        List<MatchResult> commands = command.matcher(Files.readString(Path.of("../docs/runbook.md")))
                .results()
                .toList();
        assertThat(commands).hasSize(8);
        NODE.run(context -> {
            stick(context, "o-1");
            String next =
                    "%s:Order:o-0".formatted(saga(context, "o-1").startedAt().toEpochMilli());
            for (MatchResult found : commands) {
                String path = found.group(2).replace("ID", "o-1").replace("NEXT", next);
                HttpResponse<String> answer =
                        found.group(1) == null ? get(context, path) : post(context, path, found.group(1));
                assertThat(answer.statusCode())
                        .as("%s: %s", found.group(), answer.body())
                        .isIn(200, 409);
                assertThat(answer.body()).contains(found.group(1) == null ? "\"o-1\"" : "o-1");
            }
            assertThat(saga(context, "o-1").status()).isEqualTo(SagaStatus.FAILED);
            assertThat(saga(context, "o-1").history())
                    .extracting(SagaView.Event::what)
                    .anySatisfy(what -> assertThat(what).startsWith("RESUME: "))
                    .anySatisfy(what -> assertThat(what).startsWith("refused RETRY "))
                    .anySatisfy(what -> assertThat(what).startsWith("refused SKIP "))
                    .anySatisfy(what -> assertThat(what).startsWith("FAIL: "))
                    .anySatisfy(what -> assertThat(what).contains("PATCH"));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "none"})
    void aNodeWithoutSagasSaysSo(String store) {
        ReactiveWebApplicationContextRunner node = HttpCalls.node()
                .withPropertyValues("safebunny.store.type=" + store)
                .withBean(Billing.class);
        node.run(context -> {
            assertThat(get(context, SAGAS).statusCode()).isEqualTo(200);
            isProblem(get(context, SAGAS + "?state=all"), 404, "no sagas");
            isProblem(get(context, SAGAS + "/o-1"), 404, "no sagas");
            isProblem(post(context, SAGAS + "/o-1", "{'action':'fail','reason':'why'}"), 404, "no sagas");
        });
    }
}
