// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.failure.ConfigurationException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The roles that may change something. Settings that look as if they closed the endpoints, and would not, fail the start. Pure. */
final class WriteRoles {

    private static final String CODE = "SB-1301";
    private static final String PROPERTY = "management.endpoint.safebunny.write-roles";

    private WriteRoles() {}

    /**
     * @param roles {@code null} if the property is not set
     * @return empty for everybody
     * @throws ConfigurationException SB-1301 if the property is set to no role, such as by a placeholder that is empty, or if it is set for
     *     one of the other endpoints
     */
    static Set<String> of(@Nullable Set<String> roles, Environment environment) {
        for (String endpoint : List.of("safebunnypoison", "safebunnyui")) {
            String other = "management.endpoint.%s.write-roles".formatted(endpoint);
            if (Binder.get(environment)
                    .bind(other, Bindable.setOf(String.class))
                    .isBound()) {
                throw new ConfigurationException(
                        CODE,
                        "Invalid property [%s]: all endpoints have the same write-roles, and this one would be ignored."
                                .formatted(other),
                        "Set %s instead, and remove it.".formatted(PROPERTY));
            }
        }
        if (roles == null) {
            return Set.of();
        }
        if (roles.isEmpty() || roles.stream().anyMatch(String::isBlank)) {
            throw new ConfigurationException(
                    CODE,
                    "Invalid property [%s]: it is set, but names no role, or one without a name.".formatted(PROPERTY),
                    "Name the roles that may change something, or remove the property so that everybody who reaches the endpoints may.");
        }
        return roles;
    }
}
