// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.PoisonMessageException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Which order keys wait, for which message, and what lets them go on, over HTTP. */
class OrderOverHttpTest {

    private static final String ORDER = "safebunny/order";

    private static final ReactiveWebApplicationContextRunner NODE =
            HttpCalls.node().withBean(Shelf.class).withPropertyValues("safebunny.store.type=memory");

    @BunnyMessage(orderBy = "article")
    record StockChanged(String article, int left) {}

    static class Shelf {
        private final Queue<String> shown = new ConcurrentLinkedQueue<>();

        @BunnyHandler(from = "shop", ordered = true)
        void on(StockChanged change) {
            if (change.left() < 0) {
                throw new PoisonMessageException("less than nothing");
            }
            shown.add(change.article() + " " + change.left());
        }
    }

    private static String publish(AssertableReactiveWebApplicationContext context, String article, int left) {
        return context.getBean(Bunny.class)
                .publish(new StockChanged(article, left))
                .messageId();
    }

    private static List<Map<String, Object>> keys(AssertableReactiveWebApplicationContext context, String query) {
        return read(get(context, ORDER + query), "$.keys");
    }

    @Test
    void listsTheKeyThatIsHeldWithItsHeadAndNamesWhatLetsItGoOn() {
        NODE.run(context -> {
            String head = publish(context, "tea", -1);
            publish(context, "tea", 2);
            publish(context, "milk", 9);

            await().untilAsserted(
                            () -> assertThat(keys(context, "")).singleElement().satisfies(key -> assertThat(key)
                                    .containsEntry("key", "tea")
                                    .containsEntry("type", "StockChanged")
                                    .containsEntry("state", "HELD")
                                    .containsEntry("head", head)
                                    .containsEntry("dueAt", null)
                                    .containsEntry("waiting", 1)
                                    .containsEntry("full", false)
                                    .containsKey("since")
                                    .hasSize(8)));
            assertThat((String) read(get(context, ORDER), "$.note"))
                    .contains(
                            "GET safebunnystory/{head}",
                            "POST safebunnypoison {\"action\":\"replay\",\"messageId\":\"{head}\",\"dryRun\":true");

            HttpResponse<String> discarded = post(
                    context,
                    "safebunnypoison",
                    "{'action':'discard','messageId':'%s','reason':'a typo'}".formatted(head));
            assertThat(discarded.statusCode()).as(discarded.body()).isLessThan(300);
            await().untilAsserted(() ->
                    assertThat(context.getBean(Shelf.class).shown).containsExactlyInAnyOrder("milk 9", "tea 2"));
            await().untilAsserted(() -> assertThat(keys(context, "")).isEmpty());
            Object note = read(get(context, ORDER), "$.note");
            assertThat(note).isNull();
        });
    }

    /** Counted once per lease. */
    @Test
    void isStuckUntilSomebodyDecides() {
        NODE.withPropertyValues("safebunny.dedup.lease=1s").run(context -> {
            publish(context, "tea", -1);

            await().untilAsserted(() -> assertThat(
                            (List<?>) read(get(context, "safebunny/now"), "$.parts[?(@.part=='order')]"))
                    .first()
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("level", "DEGRADED")
                    .containsEntry("page", "#/poison"));
            List<String> words = read(get(context, "safebunny/now"), "$.words");
            assertThat(words).anyMatch(one -> one.startsWith("1 order key waits for a message that was set aside."));
        });
    }

    @Test
    void takesATypeAndAState() {
        NODE.run(context -> {
            publish(context, "tea", -1);
            await().untilAsserted(() -> assertThat(keys(context, "?state=held")).hasSize(1));

            assertThat(keys(context, "?type=StockChanged")).hasSize(1);
            assertThat(keys(context, "?type=Nothing")).isEmpty();
            assertThat(keys(context, "?state=waiting")).isEmpty();
            assertThat(get(context, ORDER + "?state=open").statusCode()).isEqualTo(400);
            assertThat(get(context, ORDER + "?limit=101").statusCode()).isEqualTo(400);
            assertThat(get(context, ORDER + "?after=x").statusCode()).isEqualTo(400);
            assertThat(get(context, ORDER + "/tea").statusCode()).isEqualTo(404);
        });
    }

    @Test
    void saysThatANodeWithoutAStoreHandlesNothingInOrder() {
        HttpCalls.node().withPropertyValues("safebunny.store.type=none").run(context -> {
            HttpResponse<String> answer = get(context, ORDER);

            assertThat((Boolean) read(answer, "$.present")).isFalse();
            assertThat((String) read(answer, "$.note")).contains("has no store", "ordered = true");
        });
    }
}
