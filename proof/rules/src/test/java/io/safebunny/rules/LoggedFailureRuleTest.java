// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Exceptions quote messages, and {@code safebunny.poison.exception-details=type-only} must keep that out of the log: from {@code INFO} on, a failure
 * gets there only as {@code ExceptionDetails.logged} has it, which is what {@code BoundedLog.tellable} asks, or by its class.
 */
class LoggedFailureRuleTest {

    /** Their failures are the broker's, the database's or SafeBunny's own, and quote nothing of a message but its id. */
    private static final Set<String> QUOTE_NO_MESSAGE = Set.of(
            "BodySizes", // meters know types and no messages
            "BrokerEvents", // what the broker says to an event
            "CompletedRecords", // the id of a record that this version cannot read
            "ConnectionKeeper",
            "Consumptions",
            "ConsumeFailures",
            "CosmosQueries", // likewise
            "CosmosRecords",
            "DirectPath", // what the broker says
            "Failures", // the outbox's, whose statements hold ids
            "JdbcMessageStore",
            "JdbcOutbox",
            "Metrics", // meters know types and no messages
            "Mover",
            "OutboxMetrics",
            "Relay",
            "SafeTimer",
            "SentRows",
            "SerialTask", // whose tasks catch what foreign code throws
            "StoredInTransaction",
            "TopologyDeclarer",
            "Transactions",
            "Turns", // threads that are refused
            "WaitingRecords");

    private static final Pattern LOGGING = Pattern.compile("\\b(LOG|log|line)\\s*\\.\\s*(error|warn|info)\\(");
    private static final Pattern CAUGHT =
            Pattern.compile("(?:catch \\([^)]*?|(?:Throwable|Exception|Error) )\\b(\\w+)\\s*(?=[),;=])");
    private static final String TEXT = "\"(\\\\.|[^\"\\\\])*\"";
    private static final String SAFE =
            "(tellable|logged|operation\\.fail)\\(\\s*%1$s\\s*\\)|\\b%1$s\\s*(==|\\.\\s*getClass\\(\\))";
    private static final String AS_IT_IS =
            "[,(]\\s*%s\\s*\\)$"; // the last argument, of which the logger prints a trace

    private static Set<String> caughtIn(String source) {
        Set<String> names = new TreeSet<>();
        for (Matcher found = CAUGHT.matcher(source); found.find(); ) {
            names.add(found.group(1));
        }
        return names;
    }

    /** @param isTrusted whether failures quote no message there; even then nothing in them may begin a line */
    static List<String> violations(String source, boolean isTrusted) {
        List<String> found = new ArrayList<>();
        Set<String> caught = caughtIn(source);
        for (Matcher logging = LOGGING.matcher(source); logging.find(); ) {
            String statement = source.substring(logging.start(), endOf(source, logging.end()));
            String code = statement.replaceAll(TEXT, "");
            for (String name : caught) {
                String rest = code.replaceAll(SAFE.formatted(name), "");
                String forbidden = isTrusted ? AS_IT_IS : "\\b%s\\b";
                if (Pattern.compile(forbidden.formatted(name)).matcher(rest).find()) {
                    found.add(name + ": " + statement);
                }
            }
        }
        return found;
    }

    private static int endOf(String source, int begin) {
        int depth = 1;
        int end = begin;
        while (depth > 0) {
            char next = source.charAt(end++);
            depth += next == '(' ? 1 : next == ')' ? -1 : 0;
        }
        return end;
    }

    @Test
    void seesEveryKind() {
        String caught = "} catch (RuntimeException | Error e) {";
        assertThat(List.of(
                        "LOG.warn(\"failed\", e);",
                        "LOG.error(\"{} failed\", name, e);",
                        "LOG.info(\"{}\", e.getMessage());",
                        "log.warn(\"{}\", String.valueOf(e));",
                        "LOG.warn(\"failed\", Printable.inLines(e));"))
                .allSatisfy(line -> assertThat(violations(caught + line, false)).hasSize(1));
        assertThat(List.of(
                        "LOG.warn(\"failed\", log.tellable(e));",
                        "LOG.warn(\"failed\", ExceptionDetails.TYPE_ONLY.logged(e));",
                        "LOG.warn(\"{}\", e.getClass().getName());",
                        "LOG.debug(\"failed\", e);"))
                .allSatisfy(line -> assertThat(violations(caught + line, false)).isEmpty());
        assertThat(violations(caught + "LOG.warn(\"failed\", Printable.inLines(e));", true))
                .isEmpty();
        assertThat(violations(caught + "LOG.warn(\"failed\", e);", true)).hasSize(1);
    }

    @Test
    void noFailureGetsIntoTheLogAnotherWay() throws IOException {
        List<String> all = new ArrayList<>();
        ShippedSources.read().forEach((file, lines) -> {
            if (!file.startsWith("safebunny-test") && !file.startsWith("proof")) { // these run with no secrets
                String name = file.replaceAll(".*/|\\.java", "");
                violations(String.join("\n", lines), QUOTE_NO_MESSAGE.contains(name))
                        .forEach(line -> all.add(file + ": " + line));
            }
        });
        assertThat(all).isEmpty();
    }
}
