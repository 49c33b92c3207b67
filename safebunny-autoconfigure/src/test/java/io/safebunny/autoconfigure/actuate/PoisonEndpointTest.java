// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

/** Messages that were set aside, through the endpoint. */
@Tag("once")
class PoisonEndpointTest {

    private static final String LIST = "safebunnypoison";
    private static final String ONE = "safebunnypoison/{*id}";

    private static final ApplicationContextRunner NODE = EndpointCalls.node()
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=safebunny,safebunnypoison",
                    "safebunny.store.type=memory",
                    "safebunny.retry.max-retries=0",
                    "safebunny.delayed-retry.delays=")
            .withBean(Handler.class)
            .withBean(Auditor.class);

    record OrderPlaced(String orderId) {}

    static class Handler {
        private volatile boolean works;
        private final List<String> handled = new CopyOnWriteArrayList<>();

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {
            if (!works) {
                throw new IllegalStateException("the gateway is down");
            }
            handled.add(order.orderId());
        }
    }

    /** @return its id */
    private static String poison(ApplicationContext context, String orderId) {
        String id =
                context.getBean(Bunny.class).publish(new OrderPlaced(orderId)).messageId();
        await().until(() -> messages(get(context, Map.of())).stream().anyMatch(one -> id.equals(one.get("messageId"))));
        return id;
    }

    private static Map<?, ?> get(ApplicationContext context, Map<String, Object> arguments) {
        return (Map<?, ?>) Objects.requireNonNull(list(context, arguments));
    }

    private static @Nullable Object list(ApplicationContext context, Map<String, Object> arguments) {
        return EndpointCalls.call(context, WebEndpointHttpMethod.GET, LIST, arguments);
    }

    private static @Nullable Object look(ApplicationContext context, String id) {
        return EndpointCalls.call(context, WebEndpointHttpMethod.GET, ONE, Map.of("id", new String[] {id}));
    }

    private static @Nullable Object post(ApplicationContext context, Map<String, Object> body) {
        return EndpointCalls.call(context, WebEndpointHttpMethod.POST, body.containsKey("id") ? ONE : LIST, body);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> messages(Map<?, ?> list) {
        return (List<Map<String, Object>>) Objects.requireNonNull(list.get("messages"));
    }

    @Test
    void groupsAndListsWithoutBodies() {
        NODE.run(context -> {
            poison(context, "o-1");
            poison(context, "o-2");

            Map<?, ?> list = get(context, Map.of());

            assertThat(list.get("depth")).isEqualTo(2L);
            assertThat(list.get("groups")).asString().contains("OrderPlaced", "IllegalStateException", "copies=2");
            assertThat(messages(list))
                    .extracting(one -> String.valueOf(one.get("verdict")))
                    .containsOnly("RUN");
            assertThat(list.toString()).doesNotContain("o-1");
            assertThat(messages(get(context, Map.of("limit", 1)))).hasSize(1);
            isProblem(list(context, Map.of("limit", "1001")), 400, "limit=1001");
            assertThat(messages(get(context, Map.of("type", "Another")))).isEmpty();
        });
    }

    private static @Nullable Object groupsOf(ApplicationContext context, String operation, Object... more) {
        Map<String, Object> asked = new HashMap<>(Map.of("operation", operation));
        for (int i = 0; i < more.length; i += 2) {
            asked.put(String.valueOf(more[i]), more[i + 1]);
        }
        return list(context, asked);
    }

    @Test
    void tellsTheGroupsOfTheLastCount() {
        NODE.run(context -> {
            isProblem(groupsOf(context, "latest"), 404, "Nobody has counted yet on this instance");
            isProblem(groupsOf(context, "latest", "archived", true), 404, "\"action\":\"restore\"");
            isProblem(groupsOf(context, "nobody"), 404, "operation=nobody");
            String id = poison(context, "o-1");
            poison(context, "o-2");
            Map<?, ?> count = (Map<?, ?>) Objects.requireNonNull(post(
                    context,
                    Map.of("action", "replay", "all", true, "dryRun", true, "limit", 100_000, "reason", "how much?")));
            await().until(() -> String.valueOf(groupsOf(context, "latest")).contains("state=ENDED"));
            assertThat(post(
                            context,
                            Map.of("action", "replay", "type", "OrderPlaced", "dryRun", true, "reason", "some")))
                    .asString()
                    .contains("filter={type=OrderPlaced}", "count=false");
            assertThat(post(
                            context,
                            Map.of("action", "replay", "all", true, "dryRun", true, "limit", 10, "reason", "ten")))
                    .asString()
                    .contains("filter={}", "count=false");

            assertThat(groupsOf(context, "latest"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("operation", count.get("operation"))
                    .containsEntry("count", true)
                    .containsEntry("depth", 2L)
                    .containsEntry("scanned", 2L)
                    .containsEntry("found", 1)
                    .containsEntry("copies", 2)
                    .containsEntry("replayable", 2)
                    .containsEntry("others", 0)
                    .containsKeys("begunAt", "endedAt");
            assertThat(String.valueOf(groupsOf(context, "latest")))
                    .contains("reason=handler-failed", "IllegalStateException", "copies=2", id, "first=2", "last=2")
                    .doesNotContain("o-1");
            assertThat(groupsOf(context, "latest", "type", "Another"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("found", 0)
                    .containsEntry("copies", 0);
            assertThat(groupsOf(context, "latest", "exception", "IllegalStateException", "after", 1))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("groups", List.of())
                    .containsEntry("found", 1);
            isProblem(
                    groupsOf(context, String.valueOf(count.get("operation")), "archived", true),
                    400,
                    "it is for operation=latest");
            isProblem(groupsOf(context, "latest", "after", "-1"), 400, "after=-1");
            isProblem(groupsOf(context, "latest", "limit", "101"), 400, "limit=101");
            isProblem(groupsOf(context, "latest", "correlation", "c"), 400, "groups have none");
            isProblem(list(context, Map.of("after", 1)), 400, "it is for the groups of an operation");
            isProblem(list(context, Map.of("messageId", id, "operation", "latest")), 400, "operation=latest");
        });
    }

    @Test
    void aCountThatIsBrokenOffReplacesNoneThatIsWhole() {
        NODE.run(context -> {
            poison(context, "o-1");
            Map<String, Object> all =
                    Map.of("action", "replay", "all", true, "dryRun", true, "limit", 100_000, "reason", "how much?");
            Map<?, ?> whole = (Map<?, ?>) Objects.requireNonNull(post(context, all));
            await().until(() -> String.valueOf(groupsOf(context, "latest")).contains("state=ENDED"));
            try (BrowsedQueue elsewhere = context.getBean(Transport.class).browse("shop-poison")) {
                assertThat(elsewhere.next()).isNotNull(); // so that the next count waits
                Object begun = post(context, all);
                PoisonOperation second =
                        context.getBean(PoisonMessages.class).operations().get(0);
                assertThat(begun) // nothing would be moved until now, which is not all
                        .asInstanceOf(InstanceOfAssertFactories.MAP)
                        .containsEntry("wouldMove", 0)
                        .extractingByKey("note", InstanceOfAssertFactories.STRING)
                        .endsWith("GET safebunnypoison?operation=" + second.id() + " tells how far it is.");
                assertThat(groupsOf(context, "latest")).asString().contains(second.id(), "state=RUNNING");
                second.cancel();
                await().until(() -> second.progress().state() == PoisonOperation.RunState.CANCELLED);
            }

            assertThat(groupsOf(context, "latest"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("operation", whole.get("operation"))
                    .containsEntry("copies", 1);
        });
    }

    @Test
    void selectsByWhatAReplayWouldDo() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            Map<String, Object> done = Map.of("action", "discard", "verdict", "DONE", "reason", "nobody needs them");

            assertThat(messages(get(context, Map.of("verdict", "DONE")))).isEmpty();
            assertThat(messages(get(context, Map.of("verdict", "RUN")))).hasSize(1);
            assertThat(post(context, done))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("matched", 0)
                    .containsEntry("filter", Map.of("verdict", "DONE"));
            assertThat(post(context, with(done, "verdict", "RUN")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1);
            assertThat(context.getBean(Auditor.class).heard())
                    .filteredOn(event -> event.getType().equals("SAFEBUNNY_DISCARD"))
                    .extracting(event -> String.valueOf(event.getData().get("filter")))
                    .containsExactly("verdict DONE; at most 1000", "verdict RUN; at most 1000");

            isProblem(list(context, Map.of("verdict", "GONE")), 400, "verdict=GONE");
            isProblem(list(context, Map.of("messageId", id, "verdict", "DONE")), 400, "verdict=DONE");
            isProblem(post(context, with(done, "all", "true")), 400, "all=true");
        });
    }

    @Test
    void movesASelectionAndNothingElse() {
        NODE.run(context -> {
            String first = poison(context, "o-1");
            String second = poison(context, "o-2");
            String third = poison(context, "o-3");

            assertThat(post(context, Map.of("action", "discard", "ids", first + ", " + third, "reason", "these two")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 2)
                    .containsEntry("filter", Map.of("ids", 2));

            assertThat(messages(get(context, Map.of())))
                    .extracting(one -> one.get("messageId"))
                    .containsExactly(second);
            String tooMany =
                    IntStream.rangeClosed(0, 1_000).mapToObj(String::valueOf).collect(Collectors.joining(","));
            isProblem(
                    post(context, Map.of("action", "discard", "ids", tooMany, "reason", "why")),
                    400,
                    "[ids=1001 ids]: it may have at most 1000 message ids");
            isProblem(post(context, Map.of("action", "discard", "ids", " , ", "reason", "why")), 400, "at least one");
            isProblem(
                    post(context, Map.of("action", "discard", "ids", first, "all", true, "reason", "why")),
                    400,
                    "all=true");
            isProblem(
                    post(context, Map.of("action", "discard", "ids", first, "messageId", second, "reason", "why")),
                    400,
                    "messageId says which message");
            assertThat(messages(get(context, Map.of()))).hasSize(1);
        });
    }

    @Test
    void showsNoBodyUnlessItIsAllowed() {
        NODE.run(context -> assertThat(look(context, poison(context, "o-1")))
                .asString()
                .contains("POISONED")
                .doesNotContain("o-1")
                .doesNotContain("headers"));
        NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=when-authorized")
                .run(context -> assertThat(look(context, poison(context, "o-1")))
                        .asString()
                        .doesNotContain("o-1"));
        NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always")
                .run(context -> assertThat(look(context, poison(context, "o-1")))
                        .asString()
                        .contains("body={\"orderId\":\"o-1\"}"));
    }

    @Test
    void showsBodiesAsTheMaskerMakesThem() {
        ApplicationContextRunner shown =
                NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always");
        shown.withBean(BodyMasker.class, () -> (message, body) -> "***" + body.length)
                .run(context -> assertThat(look(context, poison(context, "o-1")))
                        .asString()
                        .contains("body=***17")
                        .doesNotContain("o-1"));
        shown.withBean(BodyMasker.class, () -> (message, body) -> {
                    throw new IllegalStateException("o-1 cannot be masked");
                })
                .run(context -> assertThat(look(context, poison(context, "o-1")))
                        .asString()
                        .contains("the BodyMasker failed")
                        .doesNotContain("o-1"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> onlyCopy(@Nullable Object look) {
        assertThat(look).isInstanceOf(Map.class);
        List<?> copies = (List<?>) Objects.requireNonNull(((Map<?, ?>) Objects.requireNonNull(look)).get("copies"));
        assertThat(copies).hasSize(1);
        return (Map<String, Object>) copies.get(0);
    }

    @Test
    void saysWhetherABodyIsShownAndWhetherItIsMasked() {
        NODE.run(context -> assertThat(onlyCopy(look(context, poison(context, "o-1"))))
                .containsEntry("shown", false)
                .containsEntry("masked", false)
                .doesNotContainKey("body"));
        ApplicationContextRunner shown =
                NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always");
        shown.run(context -> assertThat(onlyCopy(look(context, poison(context, "o-1"))))
                .containsEntry("shown", true)
                .containsEntry("masked", false));
        shown.withBean(BodyMasker.class, () -> BodyMasker.fields("iban"))
                .run(context -> assertThat(onlyCopy(look(context, poison(context, "o-1"))))
                        .containsEntry("shown", true)
                        .containsEntry("masked", false));
        shown.withBean(BodyMasker.class, () -> BodyMasker.fields("orderId"))
                .run(context -> assertThat(onlyCopy(look(context, poison(context, "o-1"))))
                        .containsEntry("shown", true)
                        .containsEntry("masked", true));
    }

    /** Sending back what was shown would replace the value for good. */
    @Test
    void takesNoEditThatBringsTheMaskBack() {
        ApplicationContextRunner masked = NODE.withBean(BodyMasker.class, () -> BodyMasker.fields("orderId"));
        masked.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always")
                .run(context -> {
                    Map<String, Object> edit = edit(context, poison(context, "o-1"));

                    isProblem(post(context, with(edit, "body", "{\"orderId\":\"***\"}")), 400, "value of orderId");
                    isProblem(
                            post(context, with(edit, "body", "not shown: the BodyMasker failed with X")),
                            400,
                            "it is what this endpoint shows instead of one");
                    assertThat(context.getBean(PoisonMessages.class).operations())
                            .isEmpty();
                    assertThat(post(context, edit))
                            .asInstanceOf(InstanceOfAssertFactories.MAP)
                            .containsEntry("moved", 1);
                });
        // who sees no body at all was shown no mask
        masked.run(context -> assertThat(
                        post(context, with(edit(context, poison(context, "o-1")), "body", "{\"orderId\":\"***\"}")))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("moved", 1));
    }

    /** Nobody can tell then whether it brings the mask back. */
    @Test
    void takesNoEditOfACopyThatCannotBeComparedWithItsMask() {
        NODE.withBean(BodyMasker.class, () -> BodyMasker.fields("orderId"))
                .withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always")
                .run(context -> {
                    Map<String, Object> edit = edit(context, poison(context, "o-1"));
                    try (BrowsedQueue elsewhere =
                            context.getBean(Transport.class).browse("shop-poison")) {
                        assertThat(elsewhere.next()).isNotNull();

                        isProblem(
                                post(context, with(edit, "body", "{\"orderId\":\"***\"}")),
                                404,
                                "cannot be compared with its mask");
                    }
                    assertThat(context.getBean(PoisonMessages.class).operations())
                            .isEmpty();
                    assertThat(post(context, edit))
                            .asInstanceOf(InstanceOfAssertFactories.MAP)
                            .containsEntry("moved", 1);
                });
    }

    @Test
    void saysOfADiscardedMessageThatItIsInTheArchive() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            Object discarded = post(context, Map.of("id", new String[] {id}, "action", "discard", "reason", "old"));
            assertThat(discarded).asInstanceOf(InstanceOfAssertFactories.MAP).containsEntry("moved", 1);

            isProblem(look(context, id), 404, "is in the archive [id=" + id + "]");
            isProblem(look(context, id), 404, "correlationId=");
            isProblem(
                    post(context, Map.of("id", new String[] {id}, "action", "replay", "reason", "mended")),
                    404,
                    "restore it from the archive: GET safebunnypoison?messageId=" + id + "&archived=true");
            isProblem(look(context, "another"), 404, "in the poison queue of node shop, which was asked [id=another]");
            isProblem(look(context, "another"), 404, "GET safebunnystory?about=another asks all of them");
            for (String action : List.of("replay", "discard")) {
                isProblem(
                        post(context, Map.of("id", new String[] {"another"}, "action", action, "reason", "old")),
                        404,
                        "in the poison queue of node shop, which was asked [id=another]");
            }
            isProblem(
                    post(context, Map.of("id", new String[] {"another"}, "action", "restore", "reason", "new")),
                    404,
                    "in the archive of node shop, where discarded ones are and which was asked [id=another]");
            isProblem(
                    post(context, Map.of("messageId", "another", "action", "restore", "reason", "new")),
                    404,
                    "in the archive of node shop, where discarded ones are and which was asked [id=another]");
        });
    }

    @Test
    void showsHeadersAsTheMaskerMakesThem() {
        ApplicationContextRunner shown =
                NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always");
        shown.run(context -> assertThat(headers(context)).isEqualTo(Map.of("tenant", "shop", "iban", "DE02")));
        shown.withBean(BodyMasker.class, () -> BodyMasker.fields("iban"))
                .run(context -> assertThat(headers(context)).isEqualTo(Map.of("tenant", "shop", "iban", "***")));
        shown.withBean(BodyMasker.class, () -> (message, body) -> "***")
                .run(context -> assertThat(headers(context)).isEqualTo(Map.of("tenant", "***", "iban", "***")));
    }

    private static @Nullable Object headers(ApplicationContext context) {
        String id = context.getBean(Bunny.class)
                .publish(
                        new OrderPlaced("o-1"),
                        PublishOptions.none().withHeader("tenant", "shop").withHeader("iban", "DE02"))
                .messageId();
        await().until(() -> !context.getBean(PoisonMessages.class).find(id, 0).isEmpty());
        return onlyCopy(look(context, id)).get("headers");
    }

    @Test
    void replaysAndIsAudited() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            poison(context, "o-2");
            Handler handler = context.getBean(Handler.class);
            handler.works = true;

            assertThat(post(context, Map.of("action", "replay", "all", true, "dryRun", true, "reason", "a look")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("matched", 2)
                    .containsEntry("moved", 0)
                    .containsEntry("wouldMove", 2)
                    .doesNotContainKey("note");
            assertThat(handler.handled).isEmpty();
            Object one = post(context, Map.of("id", new String[] {id}, "action", "replay", "reason", "it works again"));
            await().until(() -> handler.handled.size() == 1);
            Object all = post(
                    context, Map.of("action", "replay", "all", true, "rate", 100, "limit", 10, "reason", "the rest"));
            await().until(() -> handler.handled.size() == 2);

            assertThat(one)
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1)
                    .doesNotContainKey("wouldMove")
                    .extractingByKey("note", InstanceOfAssertFactories.STRING)
                    .startsWith("moved counts what was sent back to its queue. It is handled after that")
                    .contains("GET safebunnystory?about=" + id + "&format=text tells");
            assertThat(all)
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1)
                    .extractingByKey("note", InstanceOfAssertFactories.STRING)
                    .contains("GET safebunnypoison lists what was set aside again");
            assertThat(handler.handled).containsExactly("o-1", "o-2");
            await().untilAsserted(
                            () -> assertThat(context.getBean(Auditor.class).heard())
                                    .filteredOn(event -> event.getType().equals("SAFEBUNNY_REPLAY_MESSAGE"))
                                    .hasSize(2));
            isAudited(context.getBean(Auditor.class).heard(), id);
            assertThat(EndpointCalls.call(
                            context, WebEndpointHttpMethod.GET, "safebunny/{*path}", Map.of("path", new String[] {
                                "operations"
                            })))
                    .asString()
                    .containsSubsequence("the rest", "it works again", "a look");
        });
    }

    private static void isAudited(List<AuditEvent> heard, String id) {
        assertThat(heard)
                .filteredOn(event -> event.getType().equals("SAFEBUNNY_REPLAY"))
                .extracting(event -> event.getData().get("reason"))
                .containsExactly("a look", "it works again", "the rest");
        assertThat(heard)
                .filteredOn(event -> event.getType().equals("SAFEBUNNY_REPLAY"))
                .extracting(event -> event.getData().get("filter"))
                .containsExactly("all; at most 1000", "message id " + id + "; at most 100", "all; at most 10");
        AuditEvent message = heard.stream()
                .filter(event -> event.getType().equals("SAFEBUNNY_REPLAY_MESSAGE"))
                .findFirst()
                .orElseThrow();
        assertThat(message.getPrincipal()).isEqualTo("anonymous");
        assertThat(message.getData()).containsEntry("messageId", id).containsEntry("to", "shop-OrderPlaced");
        assertThat(heard)
                .filteredOn(event -> Objects.equals(
                        event.getData().get("operation"), message.getData().get("operation")))
                .extracting(AuditEvent::getType)
                .containsExactlyInAnyOrder("SAFEBUNNY_REPLAY", "SAFEBUNNY_REPLAY_MESSAGE");
    }

    @Test
    void editsOneCopy() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            Handler handler = context.getBean(Handler.class);
            String copy = String.valueOf(messages(get(context, Map.of())).get(0).get("copy"));
            Map<String, Object> edit = Map.of(
                    "id",
                    new String[] {id},
                    "action",
                    "edit",
                    "copy",
                    copy,
                    "body",
                    "{\"orderId\":\"o-9\"}",
                    "reason",
                    "a typo");

            isProblem(post(context, without(edit, "body")), 400, "body=missing");
            isProblem(post(context, without(edit, "copy")), 400, "copy=missing");
            isProblem(post(context, without(edit, "reason")), 400, "reason");
            isProblem(post(context, with(edit, "copy", "another")), 404, "SB-5017");
            isProblem(post(context, with(edit, "body", "{")), 400, "SB-5014");
            isProblem(post(context, with(edit, "id", new String[] {"nobody"})), 404, "message=nobody");
            assertThat(post(context, edit))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1);
            handler.works = true;
            post(context, Map.of("id", new String[] {id}, "action", "replay", "reason", "edited"));
            await().until(() -> !handler.handled.isEmpty());

            assertThat(handler.handled).containsExactly("o-9");
            assertThat(context.getBean(Auditor.class).heard())
                    .extracting(AuditEvent::getType)
                    .containsSubsequence("SAFEBUNNY_EDIT", "SAFEBUNNY_REPLAY");
        });
    }

    @Test
    void anEditIsAuditedWithItsCopyAndSoIsOneThatFailed() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            Map<String, Object> edit = edit(context, id);

            isProblem(post(context, with(edit, "body", "{")), 400, "SB-5014");
            post(context, edit);

            List<AuditEvent> heard = context.getBean(Auditor.class).heard().stream()
                    .filter(event -> !event.getType().equals("SAFEBUNNY_EDIT_MESSAGE"))
                    .toList();
            assertThat(heard).allSatisfy(event -> {
                assertThat(event.getPrincipal()).isEqualTo("anonymous");
                assertThat(event.getData())
                        .containsEntry("messageId", id)
                        .containsEntry("copy", edit.get("copy"))
                        .containsEntry("reason", "a typo")
                        .containsKey("operation");
                assertThat(event.getData().toString()).doesNotContain("o-9");
            });
            assertThat(heard)
                    .extracting(AuditEvent::getType)
                    .containsExactly("SAFEBUNNY_EDIT_FAILED", "SAFEBUNNY_EDIT");
            assertThat(heard.get(0).getData().get("failure")).asString().startsWith("SB-5014");
        });
    }

    private static Map<String, Object> edit(ApplicationContext context, String id) {
        String copy = String.valueOf(messages(get(context, Map.of())).get(0).get("copy"));
        return Map.of(
                "id",
                new String[] {id},
                "action",
                "edit",
                "copy",
                copy,
                "body",
                "{\"orderId\":\"o-9\"}",
                "reason",
                "a typo");
    }

    @Test
    void anEditDuringAReplayIsToldOfItAndTakesNothingFromIt() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            poison(context, "o-2");
            poison(context, "o-3");
            Map<String, Object> edit = edit(context, id);
            context.getBean(Handler.class).works = true;
            Map<?, ?> replay = (Map<?, ?>) Objects.requireNonNull(
                    post(context, Map.of("action", "replay", "all", true, "rate", "0.001", "reason", "slowly")));

            isProblem(post(context, with(edit, "copy", "another")), 409, String.valueOf(replay.get("operation")));

            assertThat(context.getBean(Auditor.class).heard())
                    .filteredOn(event -> event.getType().equals("SAFEBUNNY_EDIT_FAILED"))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getData())
                            .doesNotContainKey("operation")
                            .containsEntry("copy", "another"));
            context.getBean(PoisonMessages.class).operations().forEach(PoisonOperation::cancel);
        });
    }

    @Test
    void aBrokerThatIsAwayIsAProblemOfTheOperation() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            Map<String, Object> edit = edit(context, id);
            context.getBean(Transport.class).close();

            isProblem(list(context, Map.of()), 503, "SB-5015");
            isProblem(look(context, id), 503, "SB-5015");
            for (Map<String, Object> asked : List.<Map<String, Object>>of(
                    Map.of("action", "replay", "all", true, "reason", "why"),
                    Map.of("action", "discard", "type", "OrderPlaced", "reason", "why"),
                    Map.of("id", new String[] {id}, "action", "discard", "reason", "why"),
                    edit)) {
                Object answer = post(context, asked);
                isProblem(answer, 503, "SB-5015");
                assertThat(answer)
                        .isInstanceOfSatisfying(WebEndpointResponse.class, response -> assertThat(response.getBody())
                                .asInstanceOf(InstanceOfAssertFactories.MAP)
                                .containsEntry("moved", 0)
                                .containsEntry(
                                        "operation",
                                        context.getBean(PoisonMessages.class)
                                                .operations()
                                                .get(0)
                                                .id()));
            }
        });
    }

    @Test
    void anEditOnANodeThatHandlesNothingIsAuditedAsFailed() {
        EndpointCalls.node()
                .withPropertyValues("management.endpoints.web.exposure.include=safebunnypoison")
                .withBean(Auditor.class)
                .run(context -> {
                    isProblem(
                            post(
                                    context,
                                    Map.of(
                                            "id",
                                            new String[] {"m-1"},
                                            "action",
                                            "edit",
                                            "copy",
                                            "c-1",
                                            "body",
                                            "{}",
                                            "reason",
                                            "a typo")),
                            400,
                            "SB-5014");

                    assertThat(context.getBean(Auditor.class).heard())
                            .singleElement()
                            .satisfies(event -> {
                                assertThat(event.getType()).isEqualTo("SAFEBUNNY_EDIT_FAILED");
                                assertThat(event.getData())
                                        .containsEntry("messageId", "m-1")
                                        .doesNotContainKey("operation");
                            });
                });
    }

    /** A broker that fails to let anybody look into a queue, or to take what an operation sends. */
    static class Failing extends ForwardingTransport {
        private volatile @Nullable RuntimeException looking;
        private volatile @Nullable RuntimeException sending;

        Failing(Transport transport) {
            super(transport);
        }

        @Override
        public BrowsedQueue browse(String queue) {
            if (looking != null) {
                throw looking;
            }
            return super.browse(queue);
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            return sending == null ? super.send(message, deadline) : CompletableFuture.failedFuture(sending);
        }
    }

    static class FailingBroker implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof Transport transport ? new Failing(transport) : bean;
        }
    }

    private record Failure(RuntimeException why, int status, String code) {}

    private static final Publication COPY = new Publication("OrderPlaced", "q", "m");

    @Test
    void aFailureThatNoRepetitionHelpsIsNotAnsweredAsOneThatPasses() {
        List<Failure> ofLooks = List.of(
                new Failure(new BrowsingException("q", "the connection was lost.", null), 503, "SB-5015"),
                new Failure(BrowsingException.denied("q", "no permission.", null), 500, "SB-5018"),
                new Failure(new IllegalStateException("a fault"), 500, "a fault"));
        Failure ofSending = new Failure(new UnroutableException(COPY, "gone"), 400, "SB-5014");
        NODE.withBean(FailingBroker.class).run(context -> {
            String id = poison(context, "o-1");
            Failing broker = context.getBean(Failing.class);
            Map<String, Object> discard = Map.of("id", new String[] {id}, "action", "discard", "reason", "why");
            for (Failure one : ofLooks) {
                broker.looking = one.why;
                isProblem(post(context, discard), one.status, one.code);
            }
            broker.looking = null;
            broker.sending = ofSending.why;
            isProblem(post(context, discard), ofSending.status, ofSending.code);
            broker.sending = null;
            assertThat(post(context, discard))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1);
        });
    }

    @Test
    void aFailedEditIsToldWithItsOperationWhateverItFailedWith() {
        List<Failure> ofLooks = List.of(
                new Failure(new BrowsingException("q", "the connection was lost.", null), 503, "SB-5015"),
                new Failure(BrowsingException.denied("q", "no permission.", null), 500, "SB-5018"),
                new Failure(new IllegalStateException("a fault"), 500, "SB-5019"));
        NODE.withBean(FailingBroker.class).run(context -> {
            String id = poison(context, "o-1");
            Map<String, Object> edit = edit(context, id);
            for (Failure one : ofLooks) {
                context.getBean(Failing.class).looking = one.why;
                Object answer = post(context, edit);
                isProblem(answer, one.status, one.code);
                String operation = context.getBean(PoisonMessages.class)
                        .operations()
                        .get(0)
                        .id();
                isProblem(answer, one.status, operation);
                AuditEvent last = context.getBean(Auditor.class).heard().stream()
                        .reduce((first, second) -> second)
                        .orElseThrow();
                assertThat(last.getType()).isEqualTo("SAFEBUNNY_EDIT_FAILED");
                assertThat(last.getData()).containsEntry("operation", operation);
            }
        });
    }

    @Test
    void anEditThatNoRepetitionHelpsIsNotAnsweredAsOneThatPasses() {
        List<Failure> ofSending = List.of(
                new Failure(NackedException.tooLarge(COPY, "16 MiB"), 400, "SB-5014"),
                new Failure(new InvalidPublicationException("too many headers"), 400, "SB-5014"),
                new Failure(new NackedException(COPY, "the queue is full"), 503, "SB-2002"));
        NODE.withBean(FailingBroker.class).run(context -> {
            Map<String, Object> edit = edit(context, poison(context, "o-1"));
            for (Failure one : ofSending) {
                context.getBean(Failing.class).sending = one.why;
                isProblem(post(context, edit), one.status, one.code);
            }
        });
    }

    @Test
    void anEditThatLostARaceIsAConflict() {
        NODE.run(context -> {
            Map<String, Object> edit = edit(context, poison(context, "o-1"));
            Transport broker = context.getBean(Transport.class);
            WireMessage copy;
            try (BrowsedQueue queue = broker.browse("shop-poison")) {
                copy = Objects.requireNonNull(queue.next()).message().message();
            }
            post(context, edit);
            var unused = broker.send(
                    new OutboundMessage(copy, new Route.Poison("shop"), Duration.ZERO),
                    Deadline.after(Duration.ofSeconds(5), context.getBean(Timeline.class)));

            isProblem(post(context, edit), 409, "it was edited since");
        });
    }

    static class Broken {
        @EventListener
        void on(AuditApplicationEvent event) {
            throw new IllegalStateException("the audit's disk is full");
        }
    }

    @Test
    void aListenerThatThrowsTakesNoAnswerAway() {
        NODE.withBean(Broken.class).run(context -> {
            String id = poison(context, "o-1");

            assertThat(post(context, edit(context, id)))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1);
            assertThat(post(context, Map.of("id", new String[] {id}, "action", "discard", "reason", "why")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsKey("operation")
                    .containsEntry("moved", 1);
            assertThat(messages(get(context, Map.of()))).isEmpty();
        });
    }

    /** An id that no path can have, as messages of others do. */
    @ParameterizedTest
    @ValueSource(strings = {"a/b", "50%", "a;b", "..", "c\\d", ""})
    void findsAndMovesOneByAParameter(String id) {
        NODE.run(context -> {
            String known = poison(context, "o-1");
            Transport broker = context.getBean(Transport.class);
            try (BrowsedQueue queue = broker.browse("shop-poison")) {
                WireMessage copy =
                        Objects.requireNonNull(queue.next()).message().message();
                WireMessage foreign = new WireMessage(
                        id.isEmpty() ? null : id,
                        copy.correlationId(),
                        copy.type(),
                        copy.appId(),
                        copy.timestamp(),
                        copy.contentType(),
                        copy.contentEncoding(),
                        copy.headers(),
                        copy.body());
                var unused = broker.send(
                        new OutboundMessage(foreign, new Route.Poison("shop"), Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(5), context.getBean(Timeline.class)));
            }
            await().until(() -> messages(get(context, Map.of())).size() == 2);

            assertThat(onlyCopy(list(context, Map.of("messageId", id, "content", "false"))))
                    .containsEntry("messageId", id);
            isProblem(list(context, Map.of("messageId", id, "type", "OrderPlaced")), 400, "type=OrderPlaced");
            isProblem(list(context, Map.of("content", "false")), 400, "content=false");
            assertThat(post(context, Map.of("messageId", id, "action", "discard", "reason", "why")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1);
            assertThat(messages(get(context, Map.of()))).singleElement().satisfies(left -> assertThat(left)
                    .containsEntry("messageId", known));
            isProblem(
                    post(context, Map.of("messageId", "nobody", "action", "discard", "reason", "why")),
                    404,
                    "id=nobody");
        });
    }

    @Test
    void movesTheCopiesOfADigest() {
        NODE.run(context -> {
            poison(context, "o-1");
            String copy = String.valueOf(messages(get(context, Map.of())).get(0).get("copy"));
            Map<String, Object> discard = Map.of("action", "discard", "copy", copy, "reason", "why");

            isProblem(post(context, with(discard, "body", "{}")), 400, "body=given");
            assertThat(post(context, with(discard, "copy", "another")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("matched", 0);
            assertThat(post(context, discard))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1)
                    .containsEntry("limit", 1_000);
        });
    }

    @Test
    void saysWhereItStopped() {
        NODE.run(context -> {
            poison(context, "o-1");
            poison(context, "o-2");

            assertThat(list(context, Map.of("limit", 1)))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("limit", 1)
                    .containsEntry("truncated", true);
            assertThat(list(context, Map.of()))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("limit", 100)
                    .containsEntry("truncated", false);
        });
    }

    @Test
    void discardsToTheArchiveAndRestores() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            poison(context, "o-2");

            assertThat(post(context, Map.of("id", new String[] {id}, "action", "discard", "reason", "a test order")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1);
            assertThat(messages(get(context, Map.of()))).hasSize(1);
            assertThat(messages(get(context, Map.of("archived", "true"))))
                    .extracting(one -> one.get("messageId"))
                    .containsExactly(id);
            post(context, Map.of("action", "discard", "type", "OrderPlaced", "reason", "the other, too"));
            assertThat(messages(get(context, Map.of("archived", "true")))).hasSize(2);
            assertThat(post(context, Map.of("id", new String[] {id}, "action", "restore", "reason", "it was none")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1);
            assertThat(messages(get(context, Map.of())))
                    .extracting(one -> one.get("messageId"))
                    .containsExactly(id);

            isProblem(
                    post(context, Map.of("id", new String[] {id}, "action", "restore", "reason", "again")),
                    404,
                    "id=" + id);
            isProblem(list(context, Map.of("archived", "maybe")), 400, "archived=maybe");
            assertThat(context.getBean(Auditor.class).heard())
                    .extracting(AuditEvent::getType)
                    .containsSubsequence(
                            "SAFEBUNNY_DISCARD", "SAFEBUNNY_DISCARD", "SAFEBUNNY_RESTORE", "SAFEBUNNY_RESTORE");
        });
    }

    @Test
    void discardsOnlyTheCopyThatIsMeant() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            String copy = String.valueOf(messages(get(context, Map.of())).get(0).get("copy"));
            Map<String, Object> discard =
                    Map.of("id", new String[] {id}, "action", "discard", "copy", copy, "reason", "superseded");

            isProblem(post(context, with(discard, "copy", "another")), 404, "id=" + id);
            assertThat(messages(get(context, Map.of()))).hasSize(1);
            assertThat(post(context, discard))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("moved", 1);
            assertThat(messages(get(context, Map.of()))).isEmpty();
        });
    }

    /** Nobody handles them any more, so nothing else can be done with them. */
    @Test
    void discardsMessagesOfATypeThatTheNodeNoLongerHandles() {
        NODE.run(context -> {
            poison(context, "o-1");

            assertThat(post(context, Map.of("action", "discard", "type", "Gone", "reason", "its handler was removed")))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("matched", 0);
        });
    }

    private static Map<String, Object> with(Map<String, Object> body, String name, Object value) {
        Map<String, Object> other = new HashMap<>(body);
        other.put(name, value);
        return other;
    }

    private static Map<String, Object> without(Map<String, Object> body, String name) {
        Map<String, Object> other = new HashMap<>(body);
        other.remove(name);
        return other;
    }

    @Test
    void oneOperationAtATimeAndItCanBeCancelled() {
        NODE.run(context -> {
            poison(context, "o-1");
            poison(context, "o-2");
            poison(context, "o-3");
            context.getBean(Handler.class).works = true;
            Map<String, Object> slow = Map.of("action", "replay", "all", true, "rate", "0.001", "reason", "slowly");

            Map<?, ?> begun = (Map<?, ?>) Objects.requireNonNull(post(context, slow));
            String operation = String.valueOf(begun.get("operation"));

            assertThat(begun.get("state")).hasToString("RUNNING");
            assertThat(begun.get("note"))
                    .asString()
                    .startsWith("It has not ended yet: ")
                    .contains("GET safebunnypoison?operation=" + operation + " tells how far it is. moved counts");
            assertThat(groupsOf(context, operation)).asString().contains("state=RUNNING", "moved=1");
            isProblem(post(context, slow), 409, operation);
            Map<String, Object> path = Map.of("path", new String[] {"operations", operation});
            assertThat(EndpointCalls.call(context, WebEndpointHttpMethod.DELETE, "safebunny/{*path}", path))
                    .asString()
                    .contains("state=CANCELLED");
            await().untilAsserted(() -> assertThat(
                            EndpointCalls.call(context, WebEndpointHttpMethod.GET, "safebunny/{*path}", path))
                    .asString()
                    .contains("state=CANCELLED", "moved=1"));
            assertThat(context.getBean(Auditor.class).heard())
                    .extracting(AuditEvent::getType)
                    .contains("SAFEBUNNY_CANCEL");
        });
    }

    @Test
    void cancellingWhatHasEndedChangesNothingAndIsNotAudited() {
        NODE.run(context -> {
            String id = poison(context, "o-1");
            Map<?, ?> ended = (Map<?, ?>) Objects.requireNonNull(
                    post(context, Map.of("id", new String[] {id}, "action", "discard", "reason", "a test order")));

            assertThat(EndpointCalls.call(
                            context, WebEndpointHttpMethod.DELETE, "safebunny/{*path}", Map.of("path", new String[] {
                                "operations", String.valueOf(ended.get("operation"))
                            })))
                    .asString()
                    .contains("state=ENDED");
            assertThat(context.getBean(Auditor.class).heard())
                    .extracting(AuditEvent::getType)
                    .doesNotContain("SAFEBUNNY_CANCEL");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "burn,         ,   ,      ,     ,     why, 400, action=burn",
        "      ,       ,   ,      ,     ,     why, 400, action=missing",
        "replay,       ,   ,      ,     ,        , 400, reason",
        "replay,Another,   ,      ,     ,     why, 404, OrderPlaced",
        "replay,       ,   ,    -1,     ,     why, 400, perSecond=-1.0",
        "replay,       ,   ,  fast,     ,     why, 400, rate=fast",
        "replay,       ,   ,   NaN,     ,     why, 400, perSecond=NaN",
        "replay,       ,  0,      ,     ,     why, 400, limit=0",
        "replay,       ,all,      ,     ,     why, 400, limit=all",
        "replay,       ,   ,      ,maybe,     why, 400, dryRun=maybe"
    })
    void saysWhatIsWrongAndMovesNothing(
            @Nullable String action,
            @Nullable String type,
            @Nullable String limit,
            @Nullable String rate,
            @Nullable String dryRun,
            @Nullable String reason,
            int status,
            String named) {
        NODE.run(context -> {
            poison(context, "o-1");
            Map<String, Object> body = new HashMap<>();
            body.put("action", action);
            body.put("all", type == null ? "true" : null);
            body.put("type", type);
            body.put("limit", limit);
            body.put("rate", rate);
            body.put("dryRun", dryRun);
            body.put("reason", reason);

            isProblem(post(context, body), status, named);

            assertThat(get(context, Map.of()).get("depth")).isEqualTo(1L);
            assertThat(context.getBean(Auditor.class).heard()).isEmpty();
        });
    }

    @Test
    void anUnknownIdIsNamed() {
        NODE.run(context -> {
            poison(context, "o-1");

            isProblem(look(context, "nobody"), 404, "id=nobody");
            isProblem(
                    post(context, Map.of("id", new String[] {"nobody"}, "action", "replay", "reason", "why")),
                    404,
                    "id=nobody");
            isProblem(
                    EndpointCalls.call(
                            context, WebEndpointHttpMethod.DELETE, "safebunny/{*path}", Map.of("path", new String[] {
                                "operations", "op-9"
                            })),
                    404,
                    "name=op-9");
        });
    }

    /** An operation waits for copies that others may hold before it says so. */
    @Test
    void anUnknownIdIsNamedWhereNothingIsSetAsideToo() {
        NODE.run(context -> {
            for (String action : List.of("replay", "discard", "restore")) {
                isProblem(
                        post(context, Map.of("id", new String[] {"nobody"}, "action", action, "reason", "why")),
                        404,
                        "id=nobody");
            }
        });
    }

    private static void isProblem(@Nullable Object answer, int status, String named) {
        assertThat(answer).isInstanceOfSatisfying(WebEndpointResponse.class, response -> {
            assertThat(response.getStatus()).isEqualTo(status);
            assertThat(response.getContentType()).hasToString("application/problem+json");
            assertThat(String.valueOf(response.getBody())).contains(named);
        });
    }

    @Test
    void readOnlyAccessLeavesNothingToPostTo() {
        NODE.withPropertyValues("management.endpoint.safebunnypoison.access=read-only")
                .run(context -> assertThat(EndpointCalls.operations(context))
                        .filteredOn(one -> one.getRequestPredicate().getPath().startsWith("safebunnypoison"))
                        .isNotEmpty()
                        .allMatch(one -> one.getRequestPredicate().getHttpMethod() == WebEndpointHttpMethod.GET));
    }
}
