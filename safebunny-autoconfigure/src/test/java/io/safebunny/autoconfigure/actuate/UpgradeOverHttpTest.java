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
import io.safebunny.PoisonMessageException;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** A sample for the check of the next version, over HTTP. */
class UpgradeOverHttpTest {

    private static final String UPGRADE = "safebunny/upgrade";

    private static final ReactiveWebApplicationContextRunner NODE =
            HttpCalls.node().withBean(Orders.class).withBean(Auditor.class);

    private static final ReactiveWebApplicationContextRunner OPEN = NODE.withPropertyValues(
            "management.endpoint.safebunny.show-states=always",
            "management.endpoint.safebunnypoison.show-bodies=always");

    record OrderPlaced(String order, int cents) {}

    static class Orders {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {
            throw new PoisonMessageException("closed");
        }
    }

    private static void setAside(AssertableReactiveWebApplicationContext context, int orders) {
        for (int i = 0; i < orders; i++) {
            context.getBean(Bunny.class).publish(new OrderPlaced("o-4711", 1999));
        }
        await().untilAsserted(() -> assertThat(context.getBean(PoisonMessages.class)
                        .list(PoisonFilter.all())
                        .depth())
                .isEqualTo(orders));
    }

    private static List<AuditEvent> audited(AssertableReactiveWebApplicationContext context) {
        return context.getBean(Auditor.class).heard();
    }

    @Test
    void givesASampleWithMaskedValuesAndTellsThatItDid() {
        OPEN.run(context -> {
            setAside(context, 1);

            HttpResponse<String> answer = get(context, UPGRADE);

            assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat((List<?>) read(answer, "$.messages[*].body"))
                    .singleElement()
                    .isEqualTo(Map.of("order", "x-1111", "cents", 1111));
            List<String> types = read(answer, "$.handled[*].type");
            assertThat(types).contains("OrderPlaced");
            assertThat((String) read(answer, "$.about")).contains("UpgradeCheck", "may break all the same");
            assertThat(answer.body()).doesNotContain("4711", "1999");
            assertThat(audited(context)).singleElement().satisfies(event -> {
                assertThat(event.getType()).isEqualTo("SAFEBUNNY_LOOK");
                assertThat(event.getData()).isEqualTo(Map.of("content", "sample", "messages", 1, "states", 0));
            });
        });
    }

    @Test
    void isBoundedAsAsked() {
        OPEN.run(context -> {
            setAside(context, 3);

            assertThat((List<?>) read(get(context, UPGRADE + "?limit=2"), "$.messages"))
                    .hasSize(2);
            isProblem(get(context, UPGRADE + "?limit=101"), 400, "limit=101");
            isProblem(get(context, UPGRADE + "?limit=0"), 400, "limit=0");
            isProblem(get(context, UPGRADE + "?type=OrderPlaced"), 400, "it is for");
            isProblem(get(context, UPGRADE + "/OrderPlaced"), 404, "Not found");
            assertThat(post(context, UPGRADE, "{'reason':'x'}").statusCode()).isEqualTo(404);
        });
    }

    @Test
    void isForThoseWhoMaySeeBodiesAndStates() {
        NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always")
                .run(context -> isProblem(get(context, UPGRADE), 403, "management.endpoint.safebunny.show-states"));
        NODE.withPropertyValues("management.endpoint.safebunny.show-states=always")
                .run(context -> {
                    isProblem(get(context, UPGRADE), 403, "management.endpoint.safebunnypoison.show-bodies");
                    assertThat(audited(context)).extracting(AuditEvent::getType).containsExactly("SAFEBUNNY_REFUSED");
                });
    }
}
