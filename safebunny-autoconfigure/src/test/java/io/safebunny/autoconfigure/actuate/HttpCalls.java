// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Objects;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.web.server.reactive.context.AnnotationConfigReactiveWebServerApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Asks the endpoints of a running node as curl does. */
final class HttpCalls {

    private HttpCalls() {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Node {}

    /** Node {@code shop}, whose messages are set aside at their first failure. All of it is exposed, and may be written to. */
    static ReactiveWebApplicationContextRunner node() {
        return new ReactiveWebApplicationContextRunner(AnnotationConfigReactiveWebServerApplicationContext::new)
                .withUserConfiguration(Node.class)
                .withInitializer(
                        context -> context.getEnvironment().setConversionService(new ApplicationConversionService()))
                .withPropertyValues(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "safebunny.node=shop",
                        "safebunny.transport=memory",
                        "safebunny.store.type=memory",
                        "safebunny.retry.max-retries=0",
                        "safebunny.delayed-retry.delays=",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.safebunny.access=unrestricted",
                        "management.endpoint.safebunnypoison.access=unrestricted");
    }

    static HttpResponse<String> get(AssertableReactiveWebApplicationContext context, String path) {
        return send(context, path, HttpRequest.newBuilder().GET());
    }

    /** @param body with apostrophes for quotes */
    static HttpResponse<String> post(AssertableReactiveWebApplicationContext context, String path, String body) {
        return send(
                context,
                path,
                HttpRequest.newBuilder()
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body.replace('\'', '"'))));
    }

    static HttpResponse<String> send(
            AssertableReactiveWebApplicationContext context, String path, HttpRequest.Builder request) {
        int port = Objects.requireNonNull(
                        context.getSourceApplicationContext(AnnotationConfigReactiveWebServerApplicationContext.class)
                                .getWebServer())
                .getPort();
        URI uri = URI.create("http://127.0.0.1:%d/actuator/%s".formatted(port, path));
        try {
            return HttpClient.newHttpClient().send(request.uri(uri).build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void isProblem(HttpResponse<String> answer, int status, String named) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.body()).contains("\"status\":" + status, named);
    }

    /** @param path of JsonPath */
    @SuppressWarnings("TypeParameterUnusedInFormals") // as JsonPath has it: the caller knows what is there
    static <T> T read(HttpResponse<String> answer, String path) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonPath.read(answer.body(), path);
    }
}
