// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/** Whoever asks for something that an operation does not know is told so, and nothing is changed. */
class EndpointRequestsTest {

    private static final String POISON = "/actuator/safebunnypoison";
    private static final Pattern SELECTOR = Pattern.compile("\\{\\*?(\\w+)}");

    private static final WebApplicationContextRunner NODE = new WebApplicationContextRunner()
            .withUserConfiguration(Node.class)
            .withInitializer(
                    context -> context.getEnvironment().setConversionService(new ApplicationConversionService()))
            .withPropertyValues(
                    "safebunny.node=shop",
                    "safebunny.transport=memory",
                    "safebunny.store.type=memory",
                    "safebunny.retry.max-retries=0",
                    "safebunny.delayed-retry.delays=",
                    "management.endpoints.web.exposure.include=*",
                    "management.endpoint.safebunny.access=unrestricted",
                    "management.endpoint.safebunnypoison.access=unrestricted")
            .withBean(Handler.class)
            .withBean(Other.class);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Node {}

    record OrderPlaced(String orderId) {}

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {
            throw new IllegalStateException("the gateway is down");
        }
    }

    /** Of the application: takes what it likes. */
    @Endpoint(id = "other")
    static class Other {
        @WriteOperation
        Map<String, String> change() {
            return Map.of("changed", "yes");
        }
    }

    private static String poison(AssertableWebApplicationContext context) {
        String id = context.getBean(Bunny.class).publish(new OrderPlaced("o-1")).messageId();
        await().until(() -> waiting(context) == 1);
        return id;
    }

    private static int waiting(AssertableWebApplicationContext context) {
        return context.getBean(PoisonMessages.class)
                .list(PoisonFilter.all())
                .messages()
                .size();
    }

    private static MvcTestResult post(AssertableWebApplicationContext context, String path, String body) {
        return MockMvcTester.from(context)
                .post()
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .content(body.replace('\'', '"'))
                .exchange();
    }

    private static void isRefused(MvcTestResult result, Case one) {
        assertThat(result).as(one.asked).hasStatus(400).hasContentType("application/problem+json");
        assertThat(result)
                .bodyJson()
                .extractingPath("$.detail")
                .asString()
                .as(one.asked)
                .contains(one.named, "Nothing was changed");
    }

    /** What is asked for, and what the refusal has to name. */
    private record Case(String asked, String named) {}

    private static final List<Case> OF_MANY = List.of(
            new Case("'dryrun':true,'all':true", "name=dryrun"),
            new Case("'dryrun':true,'all':true", "Perhaps you mean dryRun"),
            new Case("'Type':'Another'", "Perhaps you mean type"),
            new Case("'id':'nobody'", "name=id"),
            new Case(
                    "'id':'nobody','all':true",
                    "action, all, body, copy, correlation, dryRun, exception, forced, ids, limit, messageId, poisonReason, rate, reason, type, verdict"),
            new Case("'security':'x','all':true", "name=security"),
            new Case("'copy':'x','all':true", "all=true"),
            new Case("'forced':true,'all':true", "forced=true"),
            new Case("'limit':10", "all=missing"),
            new Case("'dryRun':true", "all=missing"),
            new Case("'all':false", "all=false"),
            new Case("'all':true,'type':'OrderPlaced'", "all=true"));

    private static final List<Case> OF_ONE = List.of(
            new Case("'dryrun':true", "name=dryrun"),
            new Case("'type':'Another'", "name=type"),
            new Case("'type':'Another'", "POST safebunnypoison/{id}"),
            new Case("'id':'another'", "name=id"),
            new Case("'all':true", "name=all"),
            new Case("'body':'secret'", "body=given"),
            new Case("'forced':true", "forced=true"));

    private static final List<Case> OF_A_TYPE = List.of(
            new Case("'state':'open','duration':'10m','Scope':'instance'", "name=Scope"),
            new Case("'state':'open','duration':'10m','name':'Another'", "name=name"),
            new Case("'state':'open','duration':'10m','dryRun':true", "it is for subjects only"),
            new Case(
                    "'state':'open','duration':'10m','dryrun':true",
                    "action, at, dryRun, dueAt, duration, messageId, reason, saga, sagaId, scope, state, step, subject, version"),
            new Case("'state':'closed','duration':'10m'", "duration=10m"));

    @Test
    void discardsNothingWhenAskedForWhatItDoesNotKnow() {
        NODE.run(context -> {
            String id = poison(context);
            for (Case one : OF_MANY) {
                isRefused(post(context, POISON, "{'action':'discard','reason':'why',%s}".formatted(one.asked)), one);
            }
            for (Case one : OF_ONE) {
                MvcTestResult answer =
                        post(context, POISON + "/" + id, "{'action':'discard','reason':'why',%s}".formatted(one.asked));
                isRefused(answer, one);
                assertThat(answer).bodyText().doesNotContain("secret");
            }
            assertThat(post(context, POISON + "?dryrun=true", "{'action':'discard','reason':'why','all':true}"))
                    .hasStatus(400);

            assertThat(waiting(context)).isEqualTo(1);
            assertThat(context.getBean(PoisonMessages.class).operations()).isEmpty();
        });
    }

    @Test
    void anEditHasNoDryRunAndNoForce() {
        NODE.run(context -> {
            String id = poison(context);
            String copy = context.getBean(PoisonMessages.class)
                    .list(PoisonFilter.all())
                    .messages()
                    .get(0)
                    .digest();
            for (String property : List.of("dryRun", "forced")) {
                for (boolean value : new boolean[] {true, false}) {
                    String edit = "{'action':'edit','copy':'%s','body':'{}','reason':'why','%s':%s}"
                            .formatted(copy, property, value);
                    isRefused(post(context, POISON + "/" + id, edit), new Case(edit, property + "=" + value));
                }
            }
            assertThat(context.getBean(PoisonMessages.class).operations()).isEmpty();
        });
    }

    /** Spring merges path, body and query: what the path names must not come from elsewhere. */
    @Test
    void nothingReplacesWhatThePathNames() {
        NODE.run(context -> {
            String id = poison(context);
            Set<String> names = selectors(context);
            assertThat(names).isNotEmpty();
            for (String name : names) {
                Case one = new Case("'%s':'%s'".formatted(name, id), "name=" + name);
                String discard = "{'action':'discard','reason':'why'%s}";
                isRefused(post(context, POISON + "/nobody", discard.formatted("," + one.asked)), one);
                for (String query : List.of("?%s=%s", "?%1$s=%2$s&%1$s=%2$s")) {
                    isRefused(
                            post(context, POISON + "/nobody" + query.formatted(name, id), discard.formatted("")), one);
                    isRefused(
                            MockMvcTester.from(context)
                                    .get()
                                    .uri(POISON + "/nobody" + query.formatted(name, id))
                                    .exchange(),
                            one);
                }
                isRefused(
                        post(
                                context,
                                "/actuator/safebunny/breakers/Nobody",
                                "{'state':'open','duration':'10m','reason':'why','%s':'OrderPlaced'}".formatted(name)),
                        one);
            }
            assertThat(waiting(context)).isEqualTo(1);
            assertThat(context.getBean(PoisonMessages.class).operations()).isEmpty();
            assertThat(context.getBean(BunnyOperations.class).paused()).isEmpty();
        });
    }

    /** Of both endpoints, as Spring knows them. */
    private static Set<String> selectors(AssertableWebApplicationContext context) {
        return context.getBean(WebEndpointsSupplier.class).getEndpoints().stream()
                .filter(endpoint -> endpoint.getEndpointId().toString().startsWith("safebunny"))
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .flatMap(operation -> SELECTOR.matcher(
                                operation.getRequestPredicate().getPath())
                        .results())
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    @Test
    void pausesAndListsNothingWhenAskedForWhatItDoesNotKnow() {
        NODE.run(context -> {
            for (Case one : OF_A_TYPE) {
                isRefused(
                        post(
                                context,
                                "/actuator/safebunny/breakers/OrderPlaced",
                                "{'reason':'why',%s}".formatted(one.asked)),
                        one);
            }
            assertThat(context.getBean(BunnyOperations.class).paused()).isEmpty();
            for (Case one : List.of(
                    new Case("safebunnypoison?reason=handler-failed", "Perhaps you mean poisonReason"),
                    new Case("safebunnypoison?Type=OrderPlaced", "Perhaps you mean type"),
                    new Case("safebunnypoison/nobody?type=X", "name=type"),
                    new Case("safebunnystory/nobody?about=X", "name=about"),
                    new Case("safebunnystory?Format=mermaid", "Perhaps you mean format"),
                    new Case("safebunny?type=X", "it takes none"),
                    new Case("safebunny/breakers?type=X", "it is for order and scheduled only"),
                    new Case("safebunny/breakers?Type=X", "GET safebunny/{path}"))) {
                isRefused(
                        MockMvcTester.from(context)
                                .get()
                                .uri("/actuator/" + one.asked)
                                .exchange(),
                        one);
            }
        });
    }

    @Test
    void filtersByTheSameNameInAListAndInAChange() {
        NODE.run(context -> {
            poison(context);
            MockMvcTester mvc = MockMvcTester.from(context);

            assertThat(mvc.get().uri(POISON + "?poisonReason=too-old"))
                    .bodyJson()
                    .extractingPath("$.messages")
                    .asArray()
                    .hasSize(0);
            assertThat(mvc.get().uri(POISON + "?poisonReason=handler-failed"))
                    .bodyJson()
                    .extractingPath("$.messages")
                    .asArray()
                    .hasSize(1);
            assertThat(post(context, POISON, "{'action':'discard','poisonReason':'handler-failed','reason':'why'}"))
                    .bodyJson()
                    .extractingPath("$.moved")
                    .isEqualTo(1);
        });
    }

    @Test
    void leavesOtherEndpointsAlone() {
        NODE.run(context -> assertThat(post(context, "/actuator/other", "{'anything':'goes'}"))
                .hasStatusOk());
    }
}
