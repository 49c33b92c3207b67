// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
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

    /** As Cloud Foundry's support finds endpoints: it asks neither the access nor advice. */
    @Test
    void whoFindsTheEndpointsWithoutAdviceChangesNothingEither() {
        String restricted = "management.endpoint.safebunny.write-roles=OPS";
        for (String access : List.of("read-only", "unrestricted")) {
            NODE.withPropertyValues(
                            restricted,
                            "management.endpoint.safebunny.access=" + access,
                            "management.endpoint.safebunnypoison.access=" + access)
                    .run(context -> {
                        List<WebOperation> bare = EndpointCalls.bareOperations(context);
                        for (SecurityContext user : List.of(SecurityContext.NONE, READER, OPERATOR)) {
                            String why = access.equals("read-only")
                                    ? "is read-only"
                                    : user == OPERATOR ? "does not check the parameters" : "write-roles=OPS";
                            for (BareChange change : BARE_CHANGES) {
                                isForbiddenBecause(
                                        EndpointCalls.call(bare, change.method, change.path, change.arguments, user),
                                        why);
                            }
                        }
                        assertThat(context.getBean(BunnyOperations.class).paused())
                                .isEmpty();
                        assertThat(context.getBean(PoisonMessages.class).operations())
                                .isEmpty();
                        assertThat(EndpointCalls.call(
                                        bare, WebEndpointHttpMethod.GET, "safebunnypoison", Map.of(), READER))
                                .isInstanceOf(Map.class);
                    });
        }
    }

    private record BareChange(WebEndpointHttpMethod method, String path, Map<String, Object> arguments) {}

    private static final List<BareChange> BARE_CHANGES = List.of(
            new BareChange(
                    WebEndpointHttpMethod.POST,
                    PATH,
                    Map.of(
                            "path",
                            new String[] {"breakers", "OrderPlaced"},
                            "state",
                            "open",
                            "duration",
                            "10m",
                            "reason",
                            "why")),
            new BareChange(WebEndpointHttpMethod.DELETE, PATH, Map.of("path", new String[] {"operations", "op-1"})),
            new BareChange(
                    WebEndpointHttpMethod.POST,
                    "safebunnypoison",
                    Map.of("action", "discard", "all", true, "reason", "why")),
            new BareChange(
                    WebEndpointHttpMethod.POST,
                    POISON,
                    Map.of("id", new String[] {"m-1"}, "action", "discard", "reason", "why")));

    private static void isForbiddenBecause(@Nullable Object answer, String why) {
        assertThat(answer).isInstanceOfSatisfying(WebEndpointResponse.class, response -> {
            assertThat(response.getStatus()).isEqualTo(403);
            assertThat(String.valueOf(response.getBody())).contains(why);
        });
    }

    /** Nobody can say of himself that his parameters were checked. */
    @Test
    void noRequestBringsTheProofOfItsCheck() {
        NODE.run(context -> {
            Map<String, Object> discard = Map.of("action", "discard", "all", true, "reason", "why", "checked", "true");
            assertThat(EndpointCalls.call(context, WebEndpointHttpMethod.POST, "safebunnypoison", discard, OPERATOR))
                    .isInstanceOfSatisfying(WebEndpointResponse.class, response -> {
                        assertThat(response.getStatus()).isEqualTo(400);
                        assertThat(response.getBody()).asString().contains("name=checked");
                    });
            assertThatThrownBy(() -> EndpointCalls.call(
                            EndpointCalls.bareOperations(context),
                            WebEndpointHttpMethod.POST,
                            "safebunnypoison",
                            discard,
                            OPERATOR))
                    .isInstanceOf(InvalidEndpointRequestException.class);
            assertThat(context.getBean(PoisonMessages.class).operations()).isEmpty();
        });
    }

    /** What opens the endpoints beside their own access; each as an application may have it for other endpoints. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoint.safebunny.enabled=true",
                "management.endpoints.enabled-by-default=true",
                "management.endpoints.access.default=unrestricted"
            })
    void warnsIfNobodyAskedForTheAccessThatIsThere(String property) {
        ApplicationContextRunner unasked = NODE.withPropertyValues(
                "management.endpoint.safebunny.access=", "management.endpoint.safebunnypoison.access=", property);
        try (CapturedLogs logs = CapturedLogs.start()) {
            unasked.run(context -> {
                assertThat(pause(context, OPERATOR)).isInstanceOf(BunnyOperations.Result.class);
                assertThat(warnings(logs)).anySatisfy(line -> assertThat(line)
                        .contains(
                                "The endpoint safebunny lets changes through",
                                property.substring(0, property.indexOf('=')),
                                "management.endpoint.safebunny.access"));
            });
        }
    }

    private static List<String> warnings(CapturedLogs logs) {
        return logs.all().stream()
                .filter(line -> line.logger().endsWith(".Rights"))
                .map(LogLine::message)
                .toList();
    }

    @Test
    void theLimitOfAllEndpointsIsStrongerAndSoIsTheirOwnAccess() {
        try (CapturedLogs logs = CapturedLogs.start()) {
            NODE.withPropertyValues("management.endpoints.access.max-permitted=read-only")
                    .run(RightsTest::takesNoChange);
            NODE.withPropertyValues(
                            "management.endpoints.access.default=unrestricted",
                            "management.endpoint.safebunny.access=read-only",
                            "management.endpoint.safebunnypoison.access=read-only")
                    .run(RightsTest::takesNoChange);
            assertThat(warnings(logs)).isEmpty();
        }
    }

    private static void takesNoChange(ApplicationContext context) {
        assertThat(EndpointCalls.operations(context))
                .isNotEmpty()
                .allMatch(one -> one.getRequestPredicate().getHttpMethod() == WebEndpointHttpMethod.GET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoint.safebunny.write-roles=",
                "management.endpoint.safebunny.write-roles=${OPS_ROLE:}",
                "management.endpoint.safebunny.write-roles[0]=",
                "management.endpoint.safebunnypoison.write-roles=OPS",
                "management.endpoint.safebunnypoison.write-roles[0]=OPS",
                "management.endpoint.safebunnyui.write-roles=OPS"
            })
    void rolesThatWouldCloseNothingFailTheStart(String property) {
        NODE.withPropertyValues(property).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1301")
                .hasMessageContaining(property.substring(0, property.indexOf("write-roles")) + "write-roles")
                .satisfies(failure -> assertThat(((ConfigurationException) failure).action())
                        .containsAnyOf("Set management.endpoint.safebunny.write-roles", "Name the roles")));
    }

    /** Spring Boot keeps audit events only if the application has a repository for them. */
    @Test
    void looksAndRefusalsAreInTheLog() {
        NODE.withPropertyValues(
                        "management.endpoint.safebunny.write-roles=OPS",
                        "management.endpoint.safebunnypoison.show-bodies=always")
                .run(context -> {
                    String id = poison(context);
                    try (CapturedLogs logs = CapturedLogs.start().at("io.safebunny.autoconfigure", Level.INFO)) {
                        look(context, id, null);
                        pause(context, READER);

                        assertThat(logs.all().stream()
                                        .filter(line -> line.logger().endsWith(".Audit"))
                                        .map(LogLine::message))
                                .satisfiesExactly(
                                        line -> assertThat(line)
                                                .contains("SAFEBUNNY_LOOK by ann", id)
                                                .doesNotContain("o-1"),
                                        line -> assertThat(line)
                                                .contains("SAFEBUNNY_REFUSED by bob", "endpoint=safebunny"));
                    }
                    assertThat(context.getBean(Auditor.class).heard())
                            .filteredOn(event -> event.getType().equals("SAFEBUNNY_REFUSED"))
                            .singleElement()
                            .satisfies(event -> assertThat(event.getPrincipal()).isEqualTo("bob"))
                            .satisfies(event -> assertThat(event.getData())
                                    .containsEntry("endpoint", "safebunny")
                                    .containsKey("reason"));
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
    void aLookOfWhichTheMaskerShowsNothingIsNotAudited() {
        NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=always")
                .withBean(BodyMasker.class, () -> (message, body) -> {
                    throw new IllegalStateException("it cannot be masked");
                })
                .run(context -> {
                    assertThat(look(context, poison(context), null))
                            .asString()
                            .contains("shown=false")
                            .doesNotContain("o-1");
                    assertThat(looks(context)).isEmpty();
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
