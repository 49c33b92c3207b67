// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import static io.safebunny.autoconfigure.actuate.page.WebSites.at;
import static io.safebunny.autoconfigure.actuate.page.WebSites.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import io.safebunny.Bunny;
import io.safebunny.BunnyOperations;
import io.safebunny.autoconfigure.actuate.page.WebSites.OrderPlaced;
import io.safebunny.poison.PoisonMessages;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.web.server.WebFilter;

/** Who may do what, asked over HTTP as a user: on Tomcat and on Netty. */
@Timeout(60)
class RightsOverHttpTest {

    private static final String USER = "X-User";
    private static final String PAUSE = "/actuator/safebunny/breakers/OrderPlaced";

    /** Takes the user from a header, the first letters being the name and the rest the role, as in {@code ann/OPS}. */
    @Configuration(proxyBeanMethods = false)
    static class Users {

        private static String name(String user) {
            return user.substring(0, user.indexOf('/'));
        }

        private static String role(String user) {
            return user.substring(user.indexOf('/') + 1);
        }

        @Bean
        Filter userOfServlets() {
            return (request, response, chain) -> {
                String user = ((HttpServletRequest) request).getHeader(USER);
                chain.doFilter(user == null ? request : as(user, (HttpServletRequest) request), response);
            };
        }

        private static HttpServletRequest as(String user, HttpServletRequest request) {
            return new HttpServletRequestWrapper(request) {
                @Override
                public Principal getUserPrincipal() {
                    return () -> name(user);
                }

                @Override
                public boolean isUserInRole(String role) {
                    return role(user).equals(role);
                }
            };
        }

        @Bean
        WebFilter userOfExchanges() {
            return (exchange, chain) -> {
                String user = exchange.getRequest().getHeaders().getFirst(USER);
                return user == null
                        ? chain.filter(exchange)
                        : chain.filter(exchange)
                                .contextWrite(ReactiveSecurityContextHolder.withAuthentication(
                                        UsernamePasswordAuthenticationToken.authenticated(
                                                name(user),
                                                "",
                                                AuthorityUtils.createAuthorityList("ROLE_" + role(user)))));
            };
        }
    }

    private static HttpResponse<String> send(
            ConfigurableApplicationContext context, String path, @Nullable String user, @Nullable String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(at(context, path));
        if (user != null) {
            request.header(USER, user);
        }
        if (body != null) {
            request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body.replace('\'', '"')));
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void onlyWhoHasAWriteRoleChangesSomething(WebApplicationType type) throws Exception {
        String pause = "{'state':'open','duration':'10m','reason':'why'}";
        try (ConfigurableApplicationContext context = start(
                type,
                List.of(
                        "--management.endpoint.safebunny.access=unrestricted",
                        "--management.endpoint.safebunny.write-roles=OPS"),
                Users.class)) {
            BunnyOperations operations = context.getBean(BunnyOperations.class);
            for (String user : new String[] {null, "bob/SUPPORT"}) {
                HttpResponse<String> refused = send(context, PAUSE, user, pause);
                assertThat(refused.statusCode()).isEqualTo(403);
                assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
                assertThat(refused.body()).contains("management.endpoint.safebunny.write-roles=OPS");
                assertThat(writes(context, user)).isFalse();
            }
            assertThat(operations.paused()).isEmpty();

            HttpResponse<String> done = send(context, PAUSE, "ann/OPS", pause);
            assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
            assertThat((String) JsonPath.read(done.body(), "$.instance")).isEqualTo(operations.instance());
            assertThat(operations.paused()).singleElement().satisfies(one -> assertThat(one.by())
                    .isEqualTo("ann"));
            assertThat(writes(context, "ann/OPS")).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void onlyWhoIsLoggedInSeesWhoDidWhat(WebApplicationType type) throws Exception {
        String audit = "/actuator/safebunny/audit";
        try (ConfigurableApplicationContext context = start(type, List.of(), Users.class)) {
            assertThat(send(context, audit, null, null).statusCode()).isEqualTo(403);
            assertThat(send(context, audit, "bob/SUPPORT", null).statusCode()).isEqualTo(200);
            assertThat(seesAudit(context, null)).isFalse();
            assertThat(seesAudit(context, "bob/SUPPORT")).isTrue();
        }
        List<String> roles = List.of("--management.endpoint.safebunny.roles=OPS");
        try (ConfigurableApplicationContext context = start(type, roles, Users.class)) {
            assertThat(send(context, audit, "bob/SUPPORT", null).statusCode()).isEqualTo(403);
            assertThat(send(context, audit, "ann/OPS", null).statusCode()).isEqualTo(200);
            assertThat(seesAudit(context, "bob/SUPPORT")).isFalse();
        }
    }

    private static boolean seesAudit(ConfigurableApplicationContext context, @Nullable String user) throws Exception {
        return JsonPath.read(
                send(context, "/actuator/safebunnyui/session", user, null).body(), "$.audit");
    }

    private static boolean writes(ConfigurableApplicationContext context, @Nullable String user) throws Exception {
        return JsonPath.read(
                send(context, "/actuator/safebunnyui/session", user, null).body(), "$.endpoints.node.writes");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void bodiesAreShownToWhomTheyMayBeShown(WebApplicationType type) throws Exception {
        try (ConfigurableApplicationContext context = start(
                type,
                List.of(
                        "--management.endpoint.safebunnypoison.show-bodies=when-authorized",
                        "--management.endpoint.safebunnypoison.roles=SUPPORT"),
                Users.class)) {
            String id =
                    context.getBean(Bunny.class).publish(new OrderPlaced("")).messageId();
            await().until(() ->
                    !context.getBean(PoisonMessages.class).find(id, 0).isEmpty());

            for (String user : new String[] {null, "ann/OPS"}) {
                assertThat(copy(context, id, user))
                        .containsEntry("shown", false)
                        .doesNotContainKey("body");
            }
            assertThat(copy(context, id, "bob/SUPPORT"))
                    .containsEntry("shown", true)
                    .containsEntry("body", "{\"orderId\":\"\"}");
        }
    }

    private static Map<String, Object> copy(ConfigurableApplicationContext context, String id, @Nullable String user)
            throws Exception {
        return JsonPath.read(
                send(context, "/actuator/safebunnypoison/" + id, user, null).body(), "$.copies[0]");
    }
}
