// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;

/** A kind of server, and where the page is on it. */
public enum Variant {
    /** Spring MVC, and everybody sees bodies and states. */
    PLAIN(
            WebApplicationType.SERVLET,
            "/actuator/safebunnyui",
            "management.endpoint.safebunny.show-states=always",
            "management.endpoint.safebunnypoison.show-bodies=always"),
    CONTEXT_PATH(WebApplicationType.SERVLET, "/shop/app/actuator/safebunnyui", "server.servlet.context-path=/shop/app"),
    /** Behind a proxy that takes a prefix away, and of which the application knows nothing. */
    PROXY(WebApplicationType.SERVLET, "/actuator/safebunnyui"),
    MANAGEMENT_PORT(WebApplicationType.SERVLET, "/actuator/safebunnyui", "management.server.port=0"),
    PATH_MAPPING(
            WebApplicationType.SERVLET,
            "/manage/bunny",
            "management.endpoints.web.base-path=/manage",
            "management.endpoints.web.path-mapping.safebunnyui=bunny",
            "management.endpoints.web.path-mapping.safebunny=inner/node",
            "management.endpoints.web.path-mapping.safebunnypoison=set-aside"),
    WEBFLUX(WebApplicationType.REACTIVE, "/actuator/safebunnyui"),
    /** Nobody may change anything, as nobody has set otherwise. */
    READ_ONLY(WebApplicationType.SERVLET, "/actuator/safebunnyui", Variant.SHUT),
    /** A login, and protection against cross-site requests, as Spring Boot sets both up. */
    SECURED(WebApplicationType.SERVLET, "/actuator/safebunnyui", Variant.LOCKED),
    SECURED_WEBFLUX(WebApplicationType.REACTIVE, "/actuator/safebunnyui", Variant.LOCKED),
    /** The user that logs in has no role that may change something. */
    SECURED_LOOK_ONLY(WebApplicationType.SERVLET, "/actuator/safebunnyui", Variant.LOCKED, Variant.CHIEFS);

    private static final String SHUT = "site.access=shut";
    private static final String LOCKED = "site.secured=true";
    private static final String CHIEFS = "management.endpoint.safebunny.write-roles=CHIEF";

    private final WebApplicationType type;
    private final String path;

    @SuppressWarnings("ImmutableEnumChecker") // immutable, because made by List.of
    private final List<String> properties;

    Variant(WebApplicationType type, String path, String... properties) {
        this.type = type;
        this.path = path;
        this.properties = List.of(properties);
    }

    WebApplicationType type() {
        return type;
    }

    /** The page's path on its own server. */
    String path() {
        return path;
    }

    /** Whether somebody must log in. */
    public boolean isSecured() {
        return properties.contains(LOCKED);
    }

    /** Whether whoever looks can change nothing. */
    public boolean isReadOnly() {
        return properties.contains(SHUT) || properties.contains(CHIEFS);
    }

    String[] arguments(String... more) {
        Stream<String> access = properties.contains(SHUT)
                ? Stream.of()
                : Stream.of(
                        "management.endpoint.safebunny.access=unrestricted",
                        "management.endpoint.safebunnypoison.access=unrestricted");
        Stream<String> audit = isSecured() ? Stream.of() : Stream.of("management.endpoint.safebunny.show-audit=always");
        return Stream.of(access, audit, properties.stream(), Arrays.stream(more))
                .flatMap(part -> part)
                .map(property -> "--" + property)
                .toArray(String[]::new);
    }
}
