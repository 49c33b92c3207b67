// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.ConfigurationException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Links lead where a browser can go, and to nobody's password. */
class PageEndpointPropertiesTest {

    private static Map<String, String> links(String node, String address) {
        return new PageEndpointProperties(Map.of(node, address)).links();
    }

    @Test
    void areThoseOfTheConfiguration() {
        assertThat(links("billing.eu", "https://billing.example.com/actuator/safebunnyui"))
                .containsExactly(Map.entry("billing.eu", "https://billing.example.com/actuator/safebunnyui"));
    }

    @ParameterizedTest
    @CsvSource({
        "Billing, https://billing/, no node can have this name",
        "billing, javascript:attack(), neither http:// nor https://",
        "billing, //billing/, neither http:// nor https://",
        "billing, /actuator/safebunnyui, neither http:// nor https://",
        "billing, ftp://billing/, neither http:// nor https://",
        "billing, https://ann:secret@billing/, a password in it",
        "billing, https://bil ling/, has a character that none can have",
    })
    void nameWhatIsWrong(String node, String address, String why) {
        assertThatThrownBy(() -> links(node, address))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1301")
                .hasMessageContaining("management.endpoint.safebunnyui.pages." + node)
                .hasMessageContaining(why)
                .hasMessageContaining("https://billing.example.com/actuator/safebunnyui")
                .message()
                .doesNotContain("secret");
    }
}
