// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import static io.safebunny.autoconfigure.actuate.page.WebSites.at;
import static io.safebunny.autoconfigure.actuate.page.WebSites.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.jayway.jsonpath.JsonPath;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.DefaultCsrfToken;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** The page is found with all its files, and finds the endpoints, wherever they are: on Tomcat and on Netty. */
@Tag("once")
@Timeout(60)
class PageOverHttpTest {

    private static final String PAGE = "/actuator/safebunnyui";
    private static final Pattern FILES = Pattern.compile("src=\"([^\"]+)app\\.js\"");
    private static final String WRITABLE = "--management.endpoint.safebunny.access=unrestricted";

    /** Leaves a token in each request, as Spring Security's filters do. */
    @Configuration(proxyBeanMethods = false)
    static class Security {

        @Bean
        Filter leavesTheToken() {
            return (request, response, chain) -> {
                request.setAttribute(
                        CsrfToken.class.getName(), new DefaultCsrfToken("X-CSRF-TOKEN", "_csrf", "token-1"));
                chain.doFilter(request, response);
            };
        }

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        WebFilter leavesTheTokenInTheExchange() {
            return (exchange, chain) -> {
                exchange.getAttributes()
                        .put(
                                org.springframework.security.web.server.csrf.CsrfToken.class.getName(),
                                Mono.just(new org.springframework.security.web.server.csrf.DefaultCsrfToken(
                                        "X-CSRF-TOKEN", "_csrf", "token-1")));
                return chain.filter(exchange);
            };
        }
    }

    /** By a connection of its own: Netty may leave a 404 unanswered on one that has had the answer of an endpoint before. */
    private static HttpResponse<String> get(URI address, String accept) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(address).header("Accept", accept).build(), BodyHandlers.ofString());
    }

    private static void is(HttpResponse<String> answer, String type) {
        assertThat(answer.statusCode()).as(answer.uri() + " " + answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith(type);
    }

    static Stream<Arguments> sites() {
        List<List<String>> everywhere = List.of(
                List.of(PAGE),
                List.of(
                        "/ops/board",
                        "--management.endpoints.web.base-path=/ops",
                        "--management.endpoints.web.path-mapping.safebunnyui=board"),
                List.of(
                        "/actuator/bunny/board",
                        "--management.endpoints.web.path-mapping.safebunnyui=bunny/board",
                        "--management.endpoints.web.path-mapping.safebunny=bunny/node"),
                List.of(PAGE, "--management.server.port=0", "--management.server.address=127.0.0.1"));
        return Stream.concat(
                Stream.of(
                        arguments(
                                WebApplicationType.SERVLET,
                                List.of("/shop" + PAGE, "--server.servlet.context-path=/shop")),
                        arguments(
                                WebApplicationType.REACTIVE,
                                List.of("/shop" + PAGE, "--spring.webflux.base-path=/shop"))),
                Stream.of(WebApplicationType.SERVLET, WebApplicationType.REACTIVE)
                        .flatMap(type -> everywhere.stream().map(site -> arguments(type, site))));
    }

    /** Goes where a browser goes. */
    @ParameterizedTest
    @MethodSource("sites")
    void findsItsFilesAndTheEndpoints(WebApplicationType type, List<String> site) throws Exception {
        try (ConfigurableApplicationContext context = start(type, site.subList(1, site.size()))) {
            for (String slash : List.of("", "/", "?continue")) {
                URI page = at(context, site.get(0) + slash);
                HttpResponse<String> html = get(page, "text/html,application/xhtml+xml,*/*;q=0.8");
                is(html, "text/html");
                Matcher files = FILES.matcher(html.body());
                assertThat(files.find()).isTrue();
                URI folder = page.resolve(files.group(1));
                is(get(folder.resolve("style.css"), "text/css,*/*;q=0.1"), "text/css");
                for (String name : PageFiles.NAMES) {
                    is(get(folder.resolve(name), "*/*"), name.endsWith(".css") ? "text/css" : "text/");
                }
                HttpResponse<String> session = get(folder.resolve("session"), "application/json");
                is(session, "application/json");
                String node = JsonPath.read(session.body(), "$.endpoints.node.at");
                is(get(folder.resolve(node + "/now"), "application/json"), "application/");
                String poison = JsonPath.read(session.body(), "$.endpoints.poison.at");
                is(get(folder.resolve(poison), "application/json"), "application/");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void hasNothingButItsFiles(WebApplicationType type) throws Exception {
        try (ConfigurableApplicationContext context = start(type, List.of())) {
            for (String path :
                    List.of("/index.html", "/nothing.js", "/pages/..%252fapp.js", "/pages", "/session/more")) {
                HttpResponse<String> answer = get(at(context, PAGE + path), "*/*");
                assertThat(answer.statusCode()).as(path).isEqualTo(404);
            }
            HttpResponse<String> named = get(at(context, PAGE + "/nothing.js"), "application/problem+json, */*");
            assertThat(named.body()).contains("file=nothing.js");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void saysWhatTheUserMayDoAndWhatToSetOtherwise(WebApplicationType type) throws Exception {
        try (ConfigurableApplicationContext context =
                start(type, List.of(WRITABLE, "--management.endpoints.web.exposure.include=safebunny,safebunnyui"))) {
            Map<String, Object> session = JsonPath.read(
                    get(at(context, PAGE + "/session"), "application/json").body(), "$");

            assertThat(session)
                    .containsEntry("node", "shop")
                    .containsEntry("user", "anonymous")
                    .containsEntry("states", false)
                    .containsEntry("audit", false)
                    .containsEntry("bodies", false)
                    .containsEntry("masks", false)
                    .containsEntry("csrf", null);
            Map<String, Object> node = JsonPath.read(session, "$.endpoints.node");
            assertThat(node)
                    .containsEntry("at", "../safebunny")
                    .containsEntry("writes", true)
                    .containsEntry("refusal", null);
            Map<String, Object> poison = JsonPath.read(session, "$.endpoints.poison");
            assertThat(poison).containsEntry("at", null).containsEntry("writes", false);
            assertThat(poison.get("refusal")).asString().contains("management.endpoints.web.exposure.include");
        }
        try (ConfigurableApplicationContext context =
                start(type, List.of(WRITABLE, "--management.endpoint.safebunny.write-roles=OPS"))) {
            String session =
                    get(at(context, PAGE + "/session"), "application/json").body();

            assertThat((String) JsonPath.read(session, "$.endpoints.node.refusal"))
                    .contains("management.endpoint.safebunny.write-roles=OPS");
            assertThat((String) JsonPath.read(session, "$.endpoints.poison.refusal"))
                    .contains("management.endpoint.safebunnypoison.access=unrestricted");
        }
    }

    /** Whatever the access of the endpoint says. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void followsWhatSpringBootLetsThrough(WebApplicationType type) throws Exception {
        try (ConfigurableApplicationContext context =
                start(type, List.of(WRITABLE, "--management.endpoints.access.max-permitted=read-only"))) {
            String session =
                    get(at(context, PAGE + "/session"), "application/json").body();

            assertThat((Boolean) JsonPath.read(session, "$.endpoints.node.writes"))
                    .isFalse();
            assertThat((String) JsonPath.read(session, "$.endpoints.node.refusal"))
                    .contains("Set management.endpoints.access.max-permitted to unrestricted");
        }
    }

    /** An application's settings of JSON are for its own answers. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void answersWhateverTheApplicationDoesWithItsOwnJson(WebApplicationType type) throws Exception {
        for (String setting : List.of(
                "--spring.jackson.default-property-inclusion=non_null",
                "--spring.jackson.default-property-inclusion=non_empty",
                "--spring.jackson.property-naming-strategy=SNAKE_CASE")) {
            try (ConfigurableApplicationContext context = start(type, List.of(WRITABLE, setting))) {
                Map<String, Object> session = JsonPath.read(
                        get(at(context, PAGE + "/session"), "application/json").body(), "$");
                assertThat(session).as(setting).containsEntry("csrf", null);
                HttpResponse<String> breakers = get(at(context, "/actuator/safebunny/breakers"), "application/json");
                is(breakers, "application/");
                Map<String, Object> breaker = JsonPath.read(breakers.body(), "$.OrderPlaced");
                assertThat(breaker)
                        .as(setting)
                        .containsEntry("failureRate", null)
                        .containsKeys("until", "lastFailure", "pause");
                Map<String, Object> counts = JsonPath.read(
                        get(at(context, "/actuator/safebunny/now"), "application/json")
                                .body(),
                        "$.counts");
                assertThat(counts).as(setting).containsEntry("outbox", null);
                Map<String, Object> operations = JsonPath.read(
                        get(at(context, "/actuator/safebunny/operations"), "application/json")
                                .body(),
                        "$");
                assertThat(operations).as(setting).containsEntry("operations", List.of());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void handsTheTokenOver(WebApplicationType type) throws Exception {
        // on a management port Spring Boot takes over Spring Security's own servlet filter only, not that of this test
        List<String> ports = type == WebApplicationType.SERVLET
                ? List.of("--server.port=0")
                : List.of("--server.port=0", "--management.server.port=0", "--spring.webflux.base-path=/shop");
        for (String port : ports) {
            try (ConfigurableApplicationContext context = start(type, List.of(port), Security.class)) {
                String base = port.endsWith("/shop") ? "/shop" : "";
                HttpResponse<String> session = get(at(context, base + PAGE + "/session"), "application/json");

                is(session, "application/json");
                if (type == WebApplicationType.SERVLET) {
                    Map<String, Object> csrf = JsonPath.read(session.body(), "$.csrf");
                    assertThat(csrf).isEqualTo(Map.of("header", "X-CSRF-TOKEN", "token", "token-1"));
                } else {
                    assertThat(session.headers().firstValue("SafeBunny-Csrf-Header"))
                            .hasValue("X-CSRF-TOKEN");
                    assertThat(session.headers().firstValue("SafeBunny-Csrf-Token"))
                            .hasValue("token-1");
                }
                for (String other : List.of(PAGE, "/api/session", "/actuator/session", PAGE + "/pages/session")) {
                    assertThat(get(at(context, base + other), "*/*").headers().firstValue("SafeBunny-Csrf-Token"))
                            .as(other)
                            .isEmpty();
                }
            }
        }
    }
}
