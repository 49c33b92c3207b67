// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.poison.PoisonMessages;
import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Who may look, who may change something, and what is told of a look. */
class RightsTest {

    private static final String PATH = "safebunny/{*path}";
    private static final String POISON = "safebunnypoison/{*id}";

    private static final ApplicationContextRunner NODE = EndpointCalls.node()
            .withBean(Handler.class)
            .withBean(Auditor.class)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=safebunny,safebunnypoison",
                    "safebunny.store.type=memory",
                    "safebunny.retry.max-retries=0",
                    "safebunny.delayed-retry.delays=");

    record OrderPlaced(String orderId) {}

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {
            throw new IllegalStateException("the gateway is down");
        }
    }

    /** A user as a servlet container or Spring Security knows it. */
    private record User(String name, Set<String> roles) implements SecurityContext {
        @Override
        public Principal getPrincipal() {
            return () -> name;
        }

        @Override
        public boolean isUserInRole(String role) {
            return roles.contains(role);
        }
    }

    private static final User OPERATOR = new User("ann", Set.of("OPS"));
    private static final User READER = new User("bob", Set.of("SUPPORT"));

    private static @Nullable Object pause(ApplicationContext context, SecurityContext user) {
        Map<String, Object> pause = new HashMap<>(Map.of("state", "open", "duration", "10m", "reason", "why"));
        pause.put("path", new String[] {"breakers", "OrderPlaced"});
        return EndpointCalls.call(context, WebEndpointHttpMethod.POST, PATH, pause, user);
    }

    private static void isForbidden(@Nullable Object answer, String user) {
        assertThat(answer).isInstanceOfSatisfying(WebEndpointResponse.class, response -> {
            assertThat(response.getStatus()).isEqualTo(403);
            assertThat(response.getContentType()).hasToString("application/problem+json");
            assertThat(response.getBody())
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("title", "Forbidden")
                    .extractingByKey("detail")
                    .asString()
                    .contains("User " + user, "management.endpoint.safebunny.write-roles=OPS");
        });
    }

    @Test
    void nothingCanBeChangedByDefault() {
        NODE.withPropertyValues("management.endpoint.safebunny.access=", "management.endpoint.safebunnypoison.access=")
                .run(context -> assertThat(EndpointCalls.operations(context))
                        .hasSizeGreaterThan(3)
                        .allMatch(one -> one.getRequestPredicate().getHttpMethod() == WebEndpointHttpMethod.GET));
    }

    @Test
    void whoHasOneOfTheWriteRolesMayChangeSomething() {
        NODE.withPropertyValues("management.endpoint.safebunny.write-roles=OPS").run(context -> {
            isForbidden(pause(context, READER), "bob");
            isForbidden(pause(context, SecurityContext.NONE), "anonymous");
            assertThat(context.getBean(BunnyOperations.class).paused()).isEmpty();

            assertThat(pause(context, OPERATOR)).isInstanceOf(BunnyOperations.Result.class);
            assertThat(context.getBean(BunnyOperations.class).paused()).hasSize(1);
        });
    }

    @Test
    void theWriteRolesAreThoseOfPoisonMessagesAndCancelsToo() {
        NODE.withPropertyValues("management.endpoint.safebunny.write-roles=OPS").run(context -> {
            Map<String, Object> discard = Map.of("action", "discard", "all", true, "reason", "why");
            isForbidden(
                    EndpointCalls.call(context, WebEndpointHttpMethod.POST, "safebunnypoison", discard, READER), "bob");
            isForbidden(
                    EndpointCalls.call(
                            context,
                            WebEndpointHttpMethod.DELETE,
                            PATH,
                            Map.of("path", new String[] {"operations", "op-1"}),
                            READER),
                    "bob");
            assertThat(context.getBean(PoisonMessages.class).operations()).isEmpty();
            assertThat(EndpointCalls.call(context, WebEndpointHttpMethod.GET, "safebunnypoison", Map.of(), READER))
                    .isInstanceOf(Map.class);
        });
    }

    private static @Nullable Object look(ApplicationContext context, String id, @Nullable String content) {
        Map<String, Object> asked = new HashMap<>();
        asked.put("id", new String[] {id});
        if (content != null) {
            asked.put("content", content);
        }
        return EndpointCalls.call(context, WebEndpointHttpMethod.GET, POISON, asked, OPERATOR);
    }

    private static String poison(ApplicationContext context) {
        String id = context.getBean(Bunny.class).publish(new OrderPlaced("o-1")).messageId();
        await().until(() -> !context.getBean(PoisonMessages.class).find(id, 0).isEmpty());
        return id;
    }

    private static List<AuditEvent> looks(ApplicationContext context) {
        return context.getBean(Auditor.class).heard().stream()
                .filter(event -> event.getType().equals("SAFEBUNNY_LOOK"))
                .toList();
    }

    @Test
    void aLookAtABodyIsAuditedWithItsIdsAndWithoutTheBody() {
        NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=when-authorized")
                .run(context -> {
                    String id = poison(context);

                    assertThat(look(context, id, null)).asString().contains("o-1");

                    assertThat(looks(context)).singleElement().satisfies(event -> {
                        assertThat(event.getPrincipal()).isEqualTo("ann");
                        assertThat(event.getData())
                                .containsEntry("content", "body")
                                .containsEntry("messageId", id)
                                .containsKey("copy");
                        assertThat(event.getData().toString()).doesNotContain("o-1");
                    });
                });
    }

    @Test
    void aLookThatShowsNoBodyIsNotAudited() {
        NODE.run(context -> {
            assertThat(look(context, poison(context), null)).asString().doesNotContain("o-1");
            assertThat(looks(context)).isEmpty();
        });
        NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always")
                .run(context -> {
                    assertThat(look(context, poison(context), "false"))
                            .asString()
                            .doesNotContain("o-1");
                    assertThat(look(context, poison(context), "perhaps"))
                            .isInstanceOfSatisfying(
                                    WebEndpointResponse.class,
                                    response -> assertThat(response.getStatus()).isEqualTo(400));
                    assertThat(looks(context)).isEmpty();
                });
    }
}
