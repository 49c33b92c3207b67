// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import io.safebunny.message.Names;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Refuses a change to a user without one of the roles that may change something. Without such roles every user may, where Spring Boot's
 * access lets changes through at all. Ignores other endpoints. Thread-safe.
 */
public final class WritersOnly implements OperationInvokerAdvisor {

    private static final String PROPERTY = "management.endpoint.safebunny.write-roles";

    private final Set<EndpointId> endpoints;
    private final Set<String> roles;

    /** @param roles empty for every user */
    public WritersOnly(Set<EndpointId> endpoints, Set<String> roles) {
        this.endpoints = Set.copyOf(endpoints);
        this.roles = new TreeSet<>(roles);
    }

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (type == OperationType.READ || !endpoints.contains(endpoint)) {
            return invoker;
        }
        return context -> {
            SecurityContext user = context.resolveArgument(SecurityContext.class);
            String refusal = refusal(user == null ? SecurityContext.NONE : user);
            return refusal == null ? invoker.invoke(context) : Answers.forbidden(refusal);
        };
    }

    /** Why this user may change nothing, and what to set; {@code null} if the user may. */
    public @Nullable String refusal(SecurityContext user) {
        return roles.isEmpty() || Show.WHEN_AUTHORIZED.isShown(user, roles)
                ? null
                : "User %s may look, but change nothing [%s=%s]: that takes one of these roles. Give one of them to the user, or add a role of the user to the property."
                        .formatted(Names.printable(Asked.by(user)), PROPERTY, String.join(",", roles));
    }
}
