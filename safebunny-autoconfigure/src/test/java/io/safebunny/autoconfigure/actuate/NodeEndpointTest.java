// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.OnExpired;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** As Spring Boot finds the endpoint: its paths, methods and access. */
class NodeEndpointTest {

    private static final String PATH = "safebunny/{*path}";

    private static final ApplicationContextRunner NODE =
            EndpointCalls.node().withBean(Handler.class).withBean(Auditor.class);

    private static final ApplicationContextRunner EXPOSED =
            NODE.withPropertyValues("management.endpoints.web.exposure.include=safebunny");

    record OrderPlaced(String orderId) {}

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {}
    }

    @BunnyMessage(expired = BunnyMessage.Expired.DROP)
    record Price(String article) {}

    record Offer(String article) {}

    static class Late {
        @BunnyHandler(from = "shop")
        void on(Price payload) {}

        @BunnyHandler(from = "shop")
        void on(Offer payload) {}

        @OnExpired
        void expired(Offer payload) {}
    }

    private static @Nullable Object post(
            ApplicationContext context, String section, String type, Map<String, Object> body) {
        Map<String, Object> arguments = new HashMap<>(body);
        arguments.put("path", new String[] {section, type});
        return EndpointCalls.call(context, WebEndpointHttpMethod.POST, PATH, arguments);
    }

    @Test
    void tellsWhatTheNodeIs() {
        EXPOSED.run(context -> {
            assertThat(EndpointCalls.call(context, WebEndpointHttpMethod.GET, "safebunny", Map.of()))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("node", "shop")
                    .containsEntry("transport", "MemoryTransport")
                    .containsEntry("store", "none")
                    .containsEntry(
                            "counts", Map.of("types", 1, "notClosed", 0L, "paused", 0, "waitingPublications", 0));
            for (String section :
                    List.of("topology", "breakers", "publisher", "sagas", "handlers", "outbox", "operations")) {
                assertThat(EndpointCalls.call(
                                context, WebEndpointHttpMethod.GET, PATH, Map.of("path", new String[] {section})))
                        .as(section)
                        .isInstanceOf(Map.class)
                        .isNotEqualTo(Map.of());
            }
        });
    }

    @Test
    void pausesAndResumesATypeAndIsAudited() {
        EXPOSED.withPropertyValues("safebunny.store.type=memory").run(context -> {
            BunnyOperations operations = context.getBean(BunnyOperations.class);
            Object paused = post(
                    context,
                    "breakers",
                    "OrderPlaced",
                    Map.of("state", "open", "duration", "10m", "reason", "the gateway is down"));

            assertThat(paused).isInstanceOfSatisfying(Result.class, result -> assertThat(result.instances())
                    .containsExactly(new BunnyOperations.Instance(operations.instance(), true)));
            assertThat(operations.paused()).singleElement().satisfies(pause -> {
                assertThat(pause.type()).isEqualTo("OrderPlaced");
                assertThat(pause.by()).isEqualTo("anonymous");
                assertThat(pause.reason()).isEqualTo("the gateway is down");
                assertThat(pause.scope()).isEqualTo(BunnyOperations.Scope.NODE);
            });
            post(context, "breakers", "OrderPlaced", Map.of("state", "closed", "reason", "it is back"));

            assertThat(operations.paused()).isEmpty();
            assertThat(context.getBean(Auditor.class).heard())
                    .extracting(AuditEvent::getType)
                    .containsExactly("SAFEBUNNY_PAUSE", "SAFEBUNNY_RESUME");
            assertThat(context.getBean(Auditor.class).heard().get(0))
                    .satisfies(event -> assertThat(event.getPrincipal()).isEqualTo("anonymous"))
                    .satisfies(event -> assertThat(event.getData())
                            .containsKey("operation")
                            .containsEntry("reason", "the gateway is down"));
        });
    }

    /** Which may have been longer. */
    @Test
    void saysWhichPauseANewOneHasReplaced() {
        EXPOSED.withPropertyValues("safebunny.store.type=memory").run(context -> {
            Map<String, Object> pause = Map.of("state", "open", "duration", "2h", "reason", "the bank is closed");
            Object first = post(context, "breakers", "OrderPlaced", pause);
            Object second = post(
                    context, "breakers", "OrderPlaced", Map.of("state", "open", "duration", "1m", "reason", "a test"));

            assertThat(first).isInstanceOfSatisfying(Result.class, result -> assertThat(result.note())
                    .doesNotContain("replaced"));
            assertThat(second).isInstanceOfSatisfying(Result.class, result -> assertThat(result.note())
                    .contains("it has replaced the pause by anonymous until", "the bank is closed"));
        });
    }

    @Test
    void whatIsOpenForAnotherReasonIsNotSaidToBeResumed() {
        EXPOSED.run(context -> {
            Map<String, Object> resume = Map.of("state", "closed", "reason", "it is back");
            assertThat(post(context, "breakers", "OrderPlaced", resume))
                    .isInstanceOfSatisfying(
                            Result.class, result -> assertThat(result.note()).doesNotContain("OPEN"));
            context.getBean(BunnyCircuitBreaker.class).open(OrderPlaced.class, Duration.ofMinutes(5));

            for (String scope : List.of("node", "instance")) {
                Map<String, Object> scoped = new HashMap<>(resume);
                scoped.put("scope", scope);
                assertThat(post(context, "breakers", "OrderPlaced", scoped))
                        .isInstanceOfSatisfying(Result.class, result -> assertThat(result.note())
                                .contains("still OPEN", "not because of a pause"));
            }
        });
    }

    private static @Nullable Object at(
            ApplicationContext context, WebEndpointHttpMethod method, String section, String name) {
        return EndpointCalls.call(context, method, PATH, Map.of("path", new String[] {section, name}));
    }

    @Test
    void oneTypeIsShownWhereItIsPaused() {
        EXPOSED.run(context -> {
            assertThat(at(context, WebEndpointHttpMethod.GET, "breakers", "OrderPlaced"))
                    .asString()
                    .contains("type=OrderPlaced", "state=CLOSED");
            assertThat(at(context, WebEndpointHttpMethod.GET, "handlers", "OrderPlaced"))
                    .asString()
                    .contains("payload=")
                    .contains("version=1");
            isMissing(at(context, WebEndpointHttpMethod.GET, "breakers", "Unheard"), "name=Unheard");
            isMissing(at(context, WebEndpointHttpMethod.GET, "publisher", "usable"), "section=publisher");
        });
    }

    @Test
    void tellsWhatBecomesOfExpiredMessages() {
        EXPOSED.withBean(Late.class).run(context -> {
            for (Map.Entry<String, String> expected : Map.of("OrderPlaced", "POISON", "Price", "DROP", "Offer", "TOLD")
                    .entrySet()) {
                assertThat(at(context, WebEndpointHttpMethod.GET, "handlers", expected.getKey()))
                        .asString()
                        .contains("expired=" + expected.getValue());
            }
        });
    }

    @Test
    void saysHowToEndWhatIsNotEndedThere() {
        EXPOSED.run(context -> {
            isMissing(
                    at(context, WebEndpointHttpMethod.DELETE, "breakers", "OrderPlaced"),
                    "POST breakers/{type} with the state closed");
            isMissing(post(context, "operations", "op-1", Map.of()), "DELETE operations/{operation}");
        });
    }

    private static void isMissing(@Nullable Object answer, String named) {
        assertThat(answer).isInstanceOfSatisfying(WebEndpointResponse.class, response -> {
            assertThat(response.getStatus()).isEqualTo(404);
            assertThat(response.getBody()).asString().contains(named);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "breakers, Unheard,     open,   10m,  node,     why, 404, OrderPlaced",
        "breakers, OrderPlaced, shut,   10m,  node,     why, 400, state=shut",
        "breakers, OrderPlaced,     ,   10m,  node,     why, 400, state=missing",
        "breakers, OrderPlaced, open,   soon, node,     why, 400, duration=soon",
        "breakers, OrderPlaced, open,   10,   node,     why, 400, a unit",
        "breakers, OrderPlaced, open,   -1s,  node,     why, 400, 365 days",
        "breakers, OrderPlaced, open,       , node,     why, 400, duration=missing",
        "breakers, OrderPlaced, open,   10m,  everyone, why, 400, scope=everyone",
        "breakers, OrderPlaced, open,   10m,  node,        , 400, reason",
        "handlers, OrderPlaced, open,   10m,  node,     why, 404, breakers/{type}",
        "sagas,    OrderPlaced, open,   10m,  node,     why, 400, duration=10m"
    })
    void saysWhatIsWrongAndChangesNothing(
            String section,
            String type,
            @Nullable String state,
            @Nullable String duration,
            String scope,
            @Nullable String reason,
            int status,
            String named) {
        EXPOSED.run(context -> {
            Map<String, Object> body = new HashMap<>();
            body.put("state", state);
            body.put("duration", duration);
            body.put("scope", scope);
            body.put("reason", reason);

            assertThat(post(context, section, type, body)).isInstanceOfSatisfying(WebEndpointResponse.class, answer -> {
                assertThat(answer.getStatus()).isEqualTo(status);
                assertThat(answer.getContentType()).hasToString("application/problem+json");
                assertThat(answer.getBody())
                        .asInstanceOf(InstanceOfAssertFactories.MAP)
                        .extractingByKey("detail")
                        .asString()
                        .contains(named);
            });
            assertThat(context.getBean(BunnyOperations.class).paused()).isEmpty();
            assertThat(context.getBean(Auditor.class).heard()).isEmpty();
        });
    }

    @Test
    void anUnknownSectionIsNamed() {
        EXPOSED.run(context -> assertThat(EndpointCalls.call(
                        context, WebEndpointHttpMethod.GET, PATH, Map.of("path", new String[] {"nothing"})))
                .isInstanceOfSatisfying(WebEndpointResponse.class, answer -> {
                    assertThat(answer.getStatus()).isEqualTo(404);
                    assertThat(answer.getBody()).asString().contains("section=nothing", "breakers");
                }));
    }

    @Test
    void readOnlyAccessLeavesNothingToPostTo() {
        EXPOSED.withPropertyValues("management.endpoint.safebunny.access=read-only")
                .run(context -> assertThat(EndpointCalls.operations(context))
                        .isNotEmpty()
                        .allMatch(one -> one.getRequestPredicate().getHttpMethod() == WebEndpointHttpMethod.GET));
    }

    @Test
    void isNotExposedUnlessAsked() {
        NODE.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(NodeEndpoint.class));
    }

    /** Each of the two jars of Spring Boot's actuator may be there without the other. */
    @ParameterizedTest
    @ValueSource(classes = {WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
    void needsNoActuator(Class<?> absent) {
        EXPOSED.withClassLoader(new FilteredClassLoader(absent)).run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(BunnyOperations.class)
                .doesNotHaveBean("safebunnyEndpoint")
                .doesNotHaveBean("safebunnypoisonEndpoint")
                .doesNotHaveBean("safebunnyKnownParametersOnly"));
    }
}
