// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.isProblem;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Over HTTP, from a server that is not a servlet container. */
class ReactiveEndpointsTest {

    private static final String POISON = "safebunnypoison";
    private static final String PAUSE = "safebunny/breakers/OrderPlaced";

    private static final ReactiveWebApplicationContextRunner NODE =
            HttpCalls.node().withBean(Handler.class);

    record OrderPlaced(String orderId) {}

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {
            throw new IllegalStateException("the gateway is down");
        }
    }

    private static String poison(AssertableReactiveWebApplicationContext context) {
        String id = context.getBean(Bunny.class).publish(new OrderPlaced("o-1")).messageId();
        await().until(() -> waiting(context) == 1);
        return id;
    }

    private static int waiting(AssertableReactiveWebApplicationContext context) {
        return context.getBean(PoisonMessages.class)
                .list(PoisonFilter.all())
                .messages()
                .size();
    }

    @Test
    void looksPausesAndMoves() {
        NODE.run(context -> {
            String id = poison(context);

            assertThat(get(context, "safebunny").body()).contains("\"node\":\"shop\"");
            assertThat(get(context, "safebunny/handlers/OrderPlaced").body()).contains("\"handler\"");
            assertThat(get(context, POISON + "/" + id).body()).contains(id, "\"POISONED\"");
            assertThat(post(context, PAUSE, "{'state':'open','duration':'10m','reason':'why'}")
                            .body())
                    .contains("\"applied\":true");
            assertThat(context.getBean(BunnyOperations.class).paused()).hasSize(1);
            assertThat(post(context, POISON + "/" + id, "{'action':'discard','reason':'why'}")
                            .body())
                    .contains("\"moved\":1");
            assertThat(waiting(context)).isZero();
        });
    }

    @Test
    void tellsWhichAttemptsHaveFailed() {
        NODE.run(context -> assertThat(
                        get(context, POISON + "/" + poison(context)).body())
                .contains("\"failures\":[{\"at\":\"20")
                .contains("\"exception\":\"java.lang.IllegalStateException\"")
                .contains("\"text\":\"the gateway is down\""));
    }

    @Test
    void refusesAndMovesNothing() {
        NODE.run(context -> {
            String id = poison(context);

            isProblem(get(context, "safebunny/nothing"), 404, "section=nothing");
            isProblem(get(context, POISON + "/nobody"), 404, "id=nobody");
            isProblem(post(context, POISON + "/nobody", "{'action':'discard','reason':'why'}"), 404, "id=nobody");
            isProblem(post(context, POISON, "{'action':'burn','all':true,'reason':'why'}"), 400, "action=burn");
            isProblem(post(context, POISON, "{'action':'discard','all':true}"), 400, "reason");
            isProblem(
                    post(context, POISON, "{'action':'discard','all':true,'rate':-1,'reason':'why'}"),
                    400,
                    "perSecond=-1.0");
            isProblem(post(context, POISON, "{'action':'replay','type':'Nope','reason':'why'}"), 404, "type=Nope");
            isProblem(
                    post(context, POISON + "/nobody", "{'action':'discard','reason':'why','id':'%s'}".formatted(id)),
                    400,
                    "name=id");
            isProblem(
                    post(context, POISON + "/nobody?id=" + id, "{'action':'discard','reason':'why'}"), 400, "name=id");
            isProblem(
                    post(
                            context,
                            "safebunny/breakers/Nobody?path=breakers&path=OrderPlaced",
                            "{'state':'open','duration':'10m','reason':'why'}"),
                    400,
                    "name=path");
            isProblem(
                    post(context, "safebunny/breakers/Nobody", "{'state':'open','duration':'10m','reason':'why'}"),
                    404,
                    "type=Nobody");
            nothingIsDone(context);
        });
    }

    private static void nothingIsDone(AssertableReactiveWebApplicationContext context) {
        assertThat(waiting(context)).isEqualTo(1);
        assertThat(context.getBean(PoisonMessages.class).operations())
                .allSatisfy(
                        operation -> assertThat(operation.progress().moved()).isZero());
        assertThat(context.getBean(BunnyOperations.class).paused()).isEmpty();
    }

    /** What Spring itself does not let through. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            false | application/json
            true  | application/problem+json
            """)
    void whatSpringCannotReadMovesNothingEither(boolean problems, String type) {
        NODE.withPropertyValues("spring.webflux.problemdetails.enabled=" + problems)
                .run(context -> {
                    poison(context);
                    for (String body :
                            new String[] {"{'action':{'a':'discard'},'all':true,'reason':'why'}", "[]", "not json"}) {
                        isAnswered(post(context, POISON, body), 400, type);
                    }
                    HttpRequest.Builder form = HttpRequest.newBuilder()
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(BodyPublishers.ofString("action=discard&all=true&reason=why"));
                    isAnswered(send(context, POISON, form), 415, type);
                    HttpRequest.Builder put = HttpRequest.newBuilder().PUT(BodyPublishers.ofString("{}"));
                    isAnswered(send(context, POISON, put), 405, type);
                    nothingIsDone(context);
                });
    }

    private static void isAnswered(HttpResponse<String> answer, int status, String type) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue(type);
        assertThat(answer.body()).contains("\"status\":" + status);
    }

    @Test
    void aWriteWithoutAccessIsRefused() {
        NODE.withPropertyValues(
                        "management.endpoint.safebunnypoison.access=read-only",
                        "management.endpoint.safebunny.access=read-only",
                        "spring.webflux.problemdetails.enabled=true")
                .run(context -> {
                    String id = poison(context);
                    isProblem(post(context, POISON + "/" + id, "{'action':'discard','reason':'why'}"), 405, "[GET]");
                    isProblem(post(context, PAUSE, "{'state':'open','duration':'10m','reason':'why'}"), 405, "[GET]");
                    nothingIsDone(context);
                });
    }
}
