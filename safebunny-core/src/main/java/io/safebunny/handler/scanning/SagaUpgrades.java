// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.scanning.Conversions.Conversion;
import io.safebunny.handler.scanning.Conversions.Found;
import io.safebunny.saga.Upgrade;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The methods that convert a state from one version to the next. */
final class SagaUpgrades {

    private static final Conversions UPGRADES =
            new Conversions("upgrade", "Upgrade", "saga", "BunnySaga", SagaReader.CODE);

    private SagaUpgrades() {}

    /**
     * States of versions before the first upgrade are read as they are.
     *
     * @throws ConfigurationException SB-1107 if one cannot be called, or there is not exactly one for each version
     */
    static SortedMap<Integer, UnaryOperator<ObjectNode>> read(String saga, int version, List<BeanMethod> annotated) {
        List<Found> found = annotated.stream()
                .map(upgrade -> new Found(
                        upgrade.where(), upgrade.annotation(Upgrade.class).from(), upgrade.method()))
                .toList();
        SortedMap<Integer, UnaryOperator<ObjectNode>> upgrades = new TreeMap<>();
        UPGRADES.read(saga, version, null, found).forEach((from, upgrade) -> upgrades.put(from, operator(upgrade)));
        return upgrades;
    }

    private static UnaryOperator<ObjectNode> operator(Conversion upgrade) {
        return old -> {
            ObjectNode upgraded = upgraded(upgrade, old);
            if (upgraded == null) {
                throw new MisuseException(
                        MisuseException.SAGA,
                        "An upgrade returned null instead of the state [method=%s]. It must return an object, which may be its argument."
                                .formatted(upgrade.where()));
            }
            return upgraded;
        };
    }

    private static @Nullable ObjectNode upgraded(Conversion upgrade, ObjectNode old) {
        try {
            return upgrade.convert(old);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new MisuseException(
                    MisuseException.BROKEN_RULE,
                    "An upgrade threw a checked exception [method=%s]. It must throw a RuntimeException instead."
                            .formatted(upgrade.where()),
                    e);
        }
    }
}
