// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.benchmarks.contest.Bin;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class PlotTest {

    private static final int MOST_BYTES = 60_000;
    private static final int LONGEST = 500;

    private final Random random = new Random(1);

    @Test
    void isWellFormedAndNamesContendersAxesAndUnits() throws Exception {
        Document picture = parsed(new Plot(contenders(4, 100)).svg());

        assertThat(picture.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(picture.getDocumentElement().getTextContent())
                .contains("contender 0", "contender 3", "ended/s", "median, ms", "99th percentile, ms", "seconds");
    }

    @Test
    void isSmall() {
        assertThat(new Plot(contenders(4, 100)).svg()).hasSizeLessThan(MOST_BYTES);
        assertThat(new Plot(contenders(2, LONGEST)).svg()).hasSizeLessThan(MOST_BYTES);
    }

    /** White or black behind the picture is the page's. */
    @Test
    void hasNoBackground() {
        assertThat(new Plot(contenders(1, 10)).svg()).doesNotContain("white", "#ffffff", "rgb(255,255,255)");
    }

    @Test
    void hasBinsInWhichNothingEnded() throws Exception {
        List<Bin> bins = List.of(new Bin(3, 2, 4, 5), new Bin(0, 0, 0, 0), new Bin(1, 9, 9, 9));

        assertThat(parsed(new Plot(Map.of("contender", bins)).svg())).isNotNull();
    }

    private Map<String, List<Bin>> contenders(int many, int bins) {
        Map<String, List<Bin>> contenders = new LinkedHashMap<>();
        for (int i = 0; i < many; i++) {
            contenders.put(
                    "contender " + i, Stream.generate(this::bin).limit(bins).toList());
        }
        return contenders;
    }

    private Bin bin() {
        double median = 5 + random.nextDouble();
        return new Bin(50 + random.nextInt(20), median, median * 2, median * 3);
    }

    private static Document parsed(String svg) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }
}
