// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.audit;

import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;

/**
 * The events of SafeBunny that are kept: by the application if it has a repository for that, otherwise what this instance remembers.
 * Thread-safe, if the repository is.
 */
public final class KeptEvents {

    private static final Logger LOG = LoggerFactory.getLogger(KeptEvents.class);

    private static final Duration LOOKED_BACK = Duration.ofDays(7);

    private static final String REMEMBERED =
            "These are the last %s actions on this instance since it started, and as many looks and refusals; each other instance has its own, and a restart forgets them. To keep them all, define a bean of type AuditEventRepository; the log has them, too."
                    .formatted(Audit.REMEMBERED);

    private static final String OF_THIS_PROCESS =
            " It is in memory: these are of this instance only, and a restart forgets them.";

    private final Audit audit;
    private final Supplier<@Nullable AuditEventRepository> repository;
    private final Timeline timeline;

    public KeptEvents(Audit audit, Supplier<@Nullable AuditEventRepository> repository, Timeline timeline) {
        this.audit = audit;
        this.repository = repository;
        this.timeline = timeline;
    }

    /**
     * @param by {@code REPOSITORY} or {@code INSTANCE}
     * @param note which they are, in a sentence
     */
    public record Kept(String by, String note, List<AuditEvent> events) {}

    /**
     * Finds events. Some may not be wanted: an instance remembers so few that it has them all.
     *
     * @param by {@code null} for anybody's
     * @param action type without the prefix; {@code null} for all but those of single messages
     * @param after {@code null} for those of the last week, if a repository has them
     */
    public Kept find(@Nullable String by, @Nullable String action, @Nullable Instant after) {
        AuditEventRepository present = repository.get();
        if (present == null) {
            return new Kept("INSTANCE", REMEMBERED, audit.latest());
        }
        Instant since = after == null ? timeline.now().minus(LOOKED_BACK) : after;
        try {
            return new Kept(
                    "REPOSITORY",
                    "These are kept by the application's AuditEventRepository, and shown since %s.%s"
                            .formatted(
                                    since.truncatedTo(ChronoUnit.SECONDS),
                                    present instanceof InMemoryAuditEventRepository ? OF_THIS_PROCESS : ""),
                    find(present, by, action == null ? Audit.TYPES : Set.of(action), since));
        } catch (RuntimeException e) { // whatever the application's repository does
            LOG.warn(
                    "The AuditEventRepository failed, so only what this instance remembers is shown",
                    ExceptionDetails.TYPE_ONLY.logged(e));
            return new Kept(
                    "INSTANCE",
                    "The AuditEventRepository failed with %s: check it. %s"
                            .formatted(e.getClass().getName(), REMEMBERED),
                    audit.latest());
        }
    }

    /** Type by type: asked for all, a repository would read a week of logins and of moved messages as well. */
    private static List<AuditEvent> find(
            AuditEventRepository repository, @Nullable String by, Set<String> types, Instant since) {
        return types.stream()
                .flatMap(type -> repository.find(by, since, Audit.PREFIX + type).stream())
                .toList();
    }
}
