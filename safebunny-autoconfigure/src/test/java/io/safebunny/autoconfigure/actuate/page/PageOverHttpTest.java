// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.jayway.jsonpath.JsonPath;
import io.safebunny.BunnyHandler;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
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
@Timeout(60)
class PageOverHttpTest {

    private static final String PAGE = "/actuator/safebunnyui";
    private static final Pattern FILES = Pattern.compile("src=\"([^\"]+)app\\.js\"");
    private static final String WRITABLE = "--management.endpoint.safebunny.access=unrestricted";

    private static final String TOMCAT =
            "org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatReactiveManagementContextAutoConfiguration";

    private final HttpClient http = HttpClient.newHttpClient();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {

        @Bean
        Handler handler() {
            return new Handler();
        }
    }

    record OrderPlaced(String orderId) {}

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced placed) {}
    }

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

    private static ConfigurableApplicationContext start(
            WebApplicationType type, List<String> properties, Class<?>... more) {
        return new SpringApplicationBuilder(Shop.class)
                .sources(more)
                .web(type)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "safebunny.node=shop",
                        "safebunny.transport=memory",
                        "safebunny.store.type=memory",
                        "management.endpoints.web.exposure.include=*",
                        "management.auditevents.enabled=false")
                .run(Stream.concat(
                                Stream.of(
                                        "--spring.main.web-application-type="
                                                + (type == WebApplicationType.SERVLET ? "servlet" : "reactive"),
                                        // Tomcat would open the management port of a reactive application, too
                                        "--spring.autoconfigure.exclude="
                                                + (type == WebApplicationType.REACTIVE ? TOMCAT : "")),
                                properties.stream())
                        .toArray(String[]::new));
    }

    private static URI at(ConfigurableApplicationContext context, String path) {
        String port = context.getEnvironment().getProperty("local.management.port");
        return URI.create("http://127.0.0.1:"
                + (port == null ? context.getEnvironment().getProperty("local.server.port") : port) + path);
    }

    private HttpResponse<String> get(URI address, String accept) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(address).header("Accept", accept).build(), BodyHandlers.ofString());
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
                Stream.of(arguments(
                        WebApplicationType.SERVLET, List.of("/shop" + PAGE, "--server.servlet.context-path=/shop"))),
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
                    .containsEntry("bodies", false)
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
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void handsTheTokenOver(WebApplicationType type) throws Exception {
        // on a management port Spring Boot takes over Spring Security's own servlet filter only, not that of this test
        List<String> ports = type == WebApplicationType.SERVLET
                ? List.of("--server.port=0")
                : List.of("--server.port=0", "--management.server.port=0");
        for (String port : ports) {
            try (ConfigurableApplicationContext context = start(type, List.of(port), Security.class)) {
                HttpResponse<String> session = get(at(context, PAGE + "/session"), "application/json");

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
                assertThat(get(at(context, PAGE), "text/html").headers().firstValue("SafeBunny-Csrf-Token"))
                        .isEmpty();
            }
        }
    }
}
