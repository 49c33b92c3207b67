// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.incident;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.incident.Incident;
import io.safebunny.incident.Incident.BodyLook;
import io.safebunny.incident.Incident.Look;
import io.safebunny.incident.Incident.StateLook;
import io.safebunny.incident.Incidents;
import io.safebunny.message.Names;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * The source of a test of what failed. It has bodies in it, and that of a saga its state, too: refuses users who may not see them, and audits
 * each content that is in it. Thread-safe, if the masker is.
 */
public final class IncidentTests {

    /** The value of the parameter {@code as}. */
    private static final String TEST = "test";

    private static final String STATES = "management.endpoint.safebunny.show-states";
    private static final String BODIES = "management.endpoint.safebunnypoison.show-bodies";
    private static final String DECRYPT_ROLES = "management.endpoint.safebunnypoison.decrypt-roles";

    private final Incidents incidents;
    private final BodyMasker masker;
    private final Predicate<SecurityContext> showsStates;
    private final Predicate<SecurityContext> showsBodies;
    private final Predicate<SecurityContext> decrypts;
    private final String home;
    private final Audit audit;

    /** @param home package of the application; empty if it is not known */
    public IncidentTests(
            Incidents incidents,
            BodyMasker masker,
            Predicate<SecurityContext> showsStates,
            Predicate<SecurityContext> showsBodies,
            Predicate<SecurityContext> decrypts,
            String home,
            Audit audit) {
        this.incidents = incidents;
        this.masker = masker;
        this.showsStates = showsStates;
        this.showsBodies = showsBodies;
        this.decrypts = decrypts;
        this.home = home;
        this.audit = audit;
    }

    /** Whether a test is asked for; other values are refused. */
    public static boolean isAsked(@Nullable String as, @Nullable String content) {
        if (as == null) {
            return false;
        }
        if (!as.equals(TEST)) {
            throw Asked.wrong("as", as, "it must be " + TEST);
        }
        Asked.absent("content", content, "a test is made of the content");
        return true;
    }

    /** {@code null} if there is no such saga. */
    public @Nullable Object ofSaga(String saga, String id, SecurityContext user) {
        if (!showsStates.test(user)) {
            return refused("safebunny", STATES, user);
        }
        return showsBodies.test(user)
                ? answer(() -> incidents.ofSaga(saga, id, masker, home), user)
                : refused("safebunny", BODIES, user);
    }

    /**
     * {@code null} if there is no such copy.
     *
     * @param copy its digest; {@code null} for any
     */
    public @Nullable Object ofMessage(String messageId, @Nullable String copy, SecurityContext user) {
        return showsBodies.test(user)
                ? answer(() -> incidents.ofMessage(messageId, copy, masker, home), user)
                : refused("safebunnypoison", BODIES, user);
    }

    private Object refused(String endpoint, String property, SecurityContext user) {
        return refusedWith(
                endpoint,
                "User %s may not see what a test of this incident has in it [%s]: values of states and bodies, as the BodyMasker shows them. Set %s to when-authorized, with roles of this user, or to always, and restart; or ask somebody who may."
                        .formatted(Names.printable(Asked.by(user)), property, property),
                user);
    }

    private Object refusedToDecrypt(SecurityContext user) {
        return refusedWith(
                "safebunnypoison",
                "User %s may not see what a test of this incident has in it [%s]: a body that is encrypted in its queue. Add a role of this user to %s, and restart; or ask somebody who may."
                        .formatted(Names.printable(Asked.by(user)), DECRYPT_ROLES, DECRYPT_ROLES),
                user);
    }

    private Object refusedWith(String endpoint, String refusal, SecurityContext user) {
        audit.tell(Asked.by(user), "REFUSED", Map.of("endpoint", endpoint, "reason", Audit.text(refusal)));
        return Answers.forbidden(refusal);
    }

    private @Nullable Object answer(Supplier<@Nullable Incident> made, SecurityContext user) {
        Incident incident = made.get();
        if (incident == null) {
            return null;
        }
        if (incident.looks().stream().anyMatch(IncidentTests::isDecrypted) && !decrypts.test(user)) {
            return refusedToDecrypt(user);
        }
        String by = Asked.by(user);
        incident.looks().forEach(look -> tell(by, look));
        return Answers.text(incident.source());
    }

    private static boolean isDecrypted(Look look) {
        return look instanceof BodyLook body && body.isDecrypted();
    }

    private void tell(String by, Look look) {
        if (look instanceof BodyLook body) {
            audit.lookedAtBody(by, body.messageId(), body.copy(), body.isDecrypted());
        } else if (look instanceof StateLook state) {
            audit.tell(
                    by,
                    "LOOK",
                    Map.of("content", "state", "saga", state.saga(), "sagaId", Names.printable(state.id())));
        }
    }
}
