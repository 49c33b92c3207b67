// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.upgrade;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.test.upgrade.Findings.Accepted;
import io.safebunny.test.upgrade.UpgradeFinding.Kind;
import io.safebunny.upgrade.UpgradeSample;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.beans.factory.BeanFactory;

/**
 * The proof before a deploy: reads messages and states of sagas that the running version of an application has stored, with the classes of the
 * next one, and says what breaks. They are in a sample, the answer of {@code GET safebunny/upgrade} at the running version. What is not in it
 * is not checked, so an empty report is no promise; one of a sample of which nothing was read is a finding. Handles nothing. Immutable.
 *
 * <pre>{@code
 * assertThat(UpgradeCheck.of("orders-sample.json").in(application)).hasNoFindings();
 * }</pre>
 */
public final class UpgradeCheck {

    private final UpgradeSample sample;
    private final Map<String, Class<?>> published;
    private final Set<Accepted> accepted;

    private UpgradeCheck(UpgradeSample sample, Map<String, Class<?>> published, Set<Accepted> accepted) {
        this.sample = sample;
        this.published = published;
        this.accepted = accepted;
    }

    /**
     * @param resource name on the class path, such as {@code orders-sample.json}
     * @throws MisuseException SB-5001 if there is none, or it is no sample
     */
    public static UpgradeCheck of(String resource) {
        try (InputStream in = UpgradeCheck.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new MisuseException(
                        MisuseException.ARGUMENT,
                        "There is no such resource on the class path [resource=%s]. Put the sample into src/test/resources."
                                .formatted(resource));
            }
            return new UpgradeCheck(
                    UpgradeSample.read(new String(in.readAllBytes(), StandardCharsets.UTF_8)), Map.of(), Set.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws MisuseException SB-5001 if it is no sample */
    public static UpgradeCheck of(Path file) {
        try {
            return new UpgradeCheck(UpgradeSample.read(Files.readString(file)), Map.of(), Set.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Names classes that the application publishes and does not handle, because nothing else knows them before they are published. */
    public UpgradeCheck publishing(Class<?>... payloads) {
        Map<String, Class<?>> all = new TreeMap<>(published);
        for (Class<?> payload : payloads) {
            all.put(MessageTypes.nameOf(payload), payload);
        }
        return new UpgradeCheck(sample, all, accepted);
    }

    /**
     * Accepts findings that are meant, such as a property that nobody needs any more. The report names them.
     *
     * @param subject as in {@link UpgradeFinding#subject}, such as {@code OrderPlaced.note}
     */
    public UpgradeCheck accepting(Kind kind, String subject) {
        Set<Accepted> all = new LinkedHashSet<>(accepted);
        all.add(new Accepted(kind, subject));
        return new UpgradeCheck(sample, published, all);
    }

    /**
     * Checks the sample with the new version.
     *
     * @param application its context, such as that of a {@link io.safebunny.test.BunnyTest}
     * @throws MisuseException SB-5001 if its node has not started, or has another name
     */
    public UpgradeReport in(BeanFactory application) {
        SafeBunnyEngine engine = application.getBean(SafeBunnyEngine.class);
        String node = application.getBean(SafeBunnyOptions.class).node();
        if (engine.topology() == null || !node.equals(sample.node())) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "The sample cannot be checked with this application [node=%s, sample=%s]: it has not started, or is another node. Set safebunny.node to the node of the sample."
                            .formatted(node, Names.printable(sample.node())));
        }
        Findings findings = new Findings(accepted);
        new BodyCheck(sample, engine.handlers(), application.getBean(Serializers.class), published, findings).run();
        new SagaCheck(sample, engine.get(SagaSupervision.class).definitions(), findings).run();
        return findings.report(sample);
    }
}
