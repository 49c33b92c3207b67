// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.isProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.node.AnswersTo;
import io.safebunny.node.SafeBunnyOptions;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** The nodes on the broker, over HTTP. */
class NodesOverHttpTest {

    private static final ReactiveWebApplicationContextRunner NODE =
            HttpCalls.node().withBean(Handler.class);

    record OrderPlaced(String orderId) {}

    static class Handler {
        @BunnyHandler(from = {"desk", "shop"})
        void on(OrderPlaced order) {}
    }

    @Test
    void listsTheNodeItselfAndThoseThatAreSilent() {
        NODE.run(context -> {
            HttpResponse<String> all = get(context, "safebunny/nodes");

            assertThat(HttpCalls.<List<String>>read(all, "$.nodes[*].node")).containsExactly("desk", "shop");
            assertThat(HttpCalls.<List<Boolean>>read(all, "$.nodes[*].answered"))
                    .containsExactly(false, true);
            assertThat(HttpCalls.<String>read(all, "$.nodes[0].note")).contains("not heard of");
            assertThat(HttpCalls.<String>read(all, "$.instance"))
                    .isEqualTo(context.getBean(BunnyOperations.class).instance());
            assertThat(HttpCalls.<String>read(all, "$.asOf")).isNotEmpty();
            assertThat(HttpCalls.<String>read(all, "$.nodes[1].instances[0].facts.store"))
                    .isEqualTo("MemoryMessageStore");
            assertThat(HttpCalls.<List<String>>read(all, "$.nodes[1].instances[0].facts.types[*].type"))
                    .containsExactly("OrderPlaced");
            assertThat(HttpCalls.<List<String>>read(all, "$.nodes[1].instances[0].facts.types[0].from"))
                    .containsExactly("desk", "shop");
            assertThat(HttpCalls.<String>read(get(context, "safebunny/nodes/shop"), "$.node"))
                    .isEqualTo("shop");
            isProblem(get(context, "safebunny/nodes/nobody"), 404, "name=nobody");
            isProblem(get(context, "safebunny/nodes/shop/more"), 404, "name=shop/more");
        });
    }

    @Test
    void whoseQuestionsAreAnsweredIsAProperty() {
        NODE.withPropertyValues("safebunny.operations.answers=none").run(context -> assertThat(
                        context.getBean(SafeBunnyOptions.class).answersTo())
                .isEqualTo(AnswersTo.NONE));
        NODE.run(context ->
                assertThat(context.getBean(SafeBunnyOptions.class).answersTo()).isEqualTo(AnswersTo.ALL));
    }
}
