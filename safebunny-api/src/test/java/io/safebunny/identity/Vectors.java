// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** The conformance vectors, as handed over. */
record Vectors(String note, List<MarkerMask> markerMask, Collision markerMaskCollision, List<Lineage> lineage) {

    record MarkerMask(String correlationId, int marker, String digits, String messageId) {
        Ancestry ancestry() {
            return ancestryOf(correlationId, marker);
        }
    }

    record Collision(String correlationId, List<Integer> markers, String messageId) {
        List<Ancestry> ancestries() {
            return markers.stream()
                    .map(marker -> ancestryOf(correlationId, marker))
                    .toList();
        }
    }

    record Lineage(
            String correlationId,
            String parentMessageId,
            String publishingNode,
            String type,
            String ordinalOrKey,
            String messageId) {

        Ancestry ancestry() {
            return new Ancestry(correlationId, parentMessageId, publishingNode, type, ordinalOrKey, 1);
        }
    }

    static Ancestry ancestryOf(String correlationId, int marker) {
        return new Ancestry(correlationId, "", "orders", "OrderPlaced", "1", marker);
    }

    static Vectors read() {
        return read("/vectors/ids.json", Vectors.class);
    }

    private static <T> T read(String name, Class<T> type) {
        try (InputStream file = Objects.requireNonNull(Vectors.class.getResourceAsStream(name))) {
            return JsonMapper.shared().readValue(file, type);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Our own, of ids with a secret. */
    record Keyed(
            String secret,
            String correlationId,
            String parentMessageId,
            String publishingNode,
            String type,
            String ordinalOrKey,
            String messageId) {

        Ancestry ancestry() {
            return new Ancestry(correlationId, parentMessageId, publishingNode, type, ordinalOrKey, 1);
        }
    }

    private record KeyedFile(String note, List<Keyed> keyed) {}

    static List<Keyed> keyed() {
        return read("/vectors/keyed-ids.json", KeyedFile.class).keyed();
    }

    static List<MarkerMask> markerMasks() {
        return read().markerMask();
    }

    static List<Lineage> lineages() {
        return read().lineage();
    }
}
