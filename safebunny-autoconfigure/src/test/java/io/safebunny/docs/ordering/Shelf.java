// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.ordering;

interface Shelf {
    void show(String article, int left);
}
