// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.message.Names;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.env.Environment;

/**
 * Who may change something through an endpoint: nobody, unless Spring Boot's access allows it; then users with one of the roles, or
 * everybody if there are no such roles. The operations ask here themselves, because not everything that finds an endpoint asks Spring
 * Boot's access or calls advice: its support of Cloud Foundry does neither. Thread-safe.
 */
public final class Rights {

    private static final Logger LOG = LoggerFactory.getLogger(Rights.class);

    private static final String ROLES = "management.endpoint.safebunny.write-roles";
    private static final String LIMIT = "management.endpoints.access.max-permitted";

    private final EndpointAccessResolver access;
    private final Set<String> roles;
    private final Environment environment;
    private final Audit audit;

    /**
     * @param roles empty for every user
     * @param environment to say which property is in the way
     */
    public Rights(EndpointAccessResolver access, Set<String> roles, Environment environment, Audit audit) {
        this.access = access;
        this.roles = new TreeSet<>(roles);
        this.environment = environment;
        this.audit = audit;
    }

    /**
     * Carries out a change, or refuses it and audits the refusal.
     *
     * @param checked {@code null} if nobody has checked the parameters of the request
     */
    public WebEndpointResponse<Object> changing(
            EndpointId endpoint,
            SecurityContext user,
            @Nullable Checked checked,
            Supplier<WebEndpointResponse<Object>> change) {
        String refusal = refusal(endpoint, user);
        if (refusal == null && checked == null) {
            refusal =
                    "Nothing can be changed this way: it does not check the parameters of requests. Use the endpoint %s below management.endpoints.web.base-path."
                            .formatted(endpoint);
        }
        if (refusal == null) {
            return change.get();
        }
        audit.tell(Asked.by(user), "REFUSED", Map.of("endpoint", endpoint.toString(), "reason", Audit.text(refusal)));
        return Answers.forbidden(refusal);
    }

    /** Why this user may change nothing through the endpoint, and what to set; {@code null} if the user may. */
    public @Nullable String refusal(EndpointId endpoint, SecurityContext user) {
        if (access.accessFor(endpoint, Access.READ_ONLY) != Access.UNRESTRICTED) {
            return readOnly(endpoint);
        }
        return roles.isEmpty() || Show.WHEN_AUTHORIZED.isShown(user, roles)
                ? null
                : "User %s may look, but change nothing [%s=%s]: that takes one of these roles. Give one of them to the user, or add a role of the user to the property."
                        .formatted(Names.printable(Asked.by(user)), ROLES, String.join(",", roles));
    }

    /** Says that an endpoint lets no change through, and what to set. */
    public String readOnly(EndpointId endpoint) {
        String limit = property(LIMIT);
        boolean limited = !limit.isEmpty() && !isUnrestricted(limit);
        String asked = property(accessOf(endpoint));
        if (limited) {
            return "The endpoint %s is read-only [%s=%s]. Set %s to unrestricted, and %s, to change something here."
                    .formatted(endpoint, LIMIT, Names.printable(limit), LIMIT, accessOf(endpoint));
        }
        return isUnrestricted(asked)
                ? "The endpoint %s is read-only, although %s is unrestricted. Check the application's EndpointAccessResolver and OperationFilter beans."
                        .formatted(endpoint, accessOf(endpoint))
                : "The endpoint %s is read-only. Set %s=unrestricted to change something here."
                        .formatted(endpoint, accessOf(endpoint));
    }

    /** Warns if an endpoint lets changes through although nobody has set its access: an older or a general property does it. */
    public void warnIfNobodyAsked(EndpointId endpoint) {
        if (access.accessFor(endpoint, Access.READ_ONLY) == Access.UNRESTRICTED
                && property(accessOf(endpoint)).isEmpty()) {
            LOG.warn(
                    "The endpoint {} lets changes through, because of {}, although {} is not set. Set it to read-only, or to unrestricted if that is intended",
                    endpoint,
                    Stream.of(
                                    "management.endpoint." + endpoint + ".enabled",
                                    "management.endpoints.access.default",
                                    "management.endpoints.enabled-by-default")
                            .filter(name -> !property(name).isEmpty())
                            .findFirst()
                            .orElse("an EndpointAccessResolver bean"),
                    accessOf(endpoint));
        }
    }

    private static String accessOf(EndpointId endpoint) {
        return "management.endpoint." + endpoint + ".access";
    }

    private String property(String name) {
        return environment.getProperty(name, "").strip();
    }

    private static boolean isUnrestricted(String access) {
        return access.equalsIgnoreCase("unrestricted");
    }
}
