// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import io.safebunny.BunnyHandler;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Starts node {@code shop} with all that is exposed: on Tomcat or on Netty. */
final class WebSites {

    private static final String TOMCAT =
            "org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatReactiveManagementContextAutoConfiguration";

    private WebSites() {}

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
        void on(OrderPlaced placed) {
            if (placed.orderId().isEmpty()) {
                throw new IllegalStateException("no order");
            }
        }
    }

    static ConfigurableApplicationContext start(WebApplicationType type, List<String> properties, Class<?>... more) {
        return new SpringApplicationBuilder(Shop.class)
                .sources(more)
                .web(type)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "safebunny.node=shop",
                        "safebunny.transport=memory",
                        "safebunny.store.type=memory",
                        "safebunny.retry.max-retries=0",
                        "safebunny.delayed-retry.delays=",
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

    static URI at(ConfigurableApplicationContext context, String path) {
        String port = context.getEnvironment().getProperty("local.management.port");
        return URI.create("http://127.0.0.1:"
                + (port == null ? context.getEnvironment().getProperty("local.server.port") : port) + path);
    }
}
