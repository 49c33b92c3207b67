// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.browser;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** Makes pictures small: their most frequent colours stay as they are, and the others become the one that is most like them. */
public final class Palette {

    private static final int COLOURS = 256;

    private Palette() {}

    /** The same picture in at most 256 colours. */
    public static BufferedImage reduce(BufferedImage picture) {
        int width = picture.getWidth();
        int height = picture.getHeight();
        int[] points = picture.getRGB(0, 0, width, height, null, 0, width);
        int[] kept = mostFrequent(points);
        Map<Integer, Integer> indexes = new HashMap<>();
        BufferedImage reduced = new BufferedImage(
                width,
                height,
                BufferedImage.TYPE_BYTE_INDEXED,
                new IndexColorModel(8, kept.length, kept, 0, false, -1, 0));
        for (int i = 0; i < points.length; i++) {
            int index = indexes.computeIfAbsent(points[i], colour -> nearest(colour, kept));
            reduced.getRaster().setSample(i % width, i / width, 0, index);
        }
        return reduced;
    }

    private static int[] mostFrequent(int[] points) {
        Map<Integer, Integer> counts = new HashMap<>();
        Arrays.stream(points).forEach(colour -> counts.merge(colour, 1, Integer::sum));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(COLOURS)
                .mapToInt(Map.Entry::getKey)
                .toArray();
    }

    private static int nearest(int colour, int... kept) {
        int best = 0;
        for (int i = 1; i < kept.length; i++) {
            if (distance(colour, kept[i]) < distance(colour, kept[best])) {
                best = i;
            }
        }
        return best;
    }

    private static int distance(int one, int other) {
        int red = (one >> 16 & 0xff) - (other >> 16 & 0xff);
        int green = (one >> 8 & 0xff) - (other >> 8 & 0xff);
        int blue = (one & 0xff) - (other & 0xff);
        return red * red + green * green + blue * blue;
    }
}
