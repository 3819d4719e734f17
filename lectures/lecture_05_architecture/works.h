// What lecture 5 cites beside the works that lectures share.  @hide file

#pragma once

#include <lectern/lecture.h>

namespace works {

inline constexpr lectern::Reference transformer = {.title = "Attention Is All You Need",
                                                   .authors = {"Ashish Vaswani", "Noam Shazeer", "Niki Parmar"},
                                                   .date = "2017",
                                                   .url = "https://arxiv.org/abs/1706.03762",
                                                   .notes = "The first three of many authors."};
inline constexpr lectern::Reference pre_norm = {.title = "On Layer Normalization in the Transformer Architecture",
                                                .authors = {"Ruibin Xiong", "Yunchang Yang", "Di He"},
                                                .date = "2020",
                                                .url = "https://arxiv.org/abs/2002.04745",
                                                .notes = "The first three of many authors."};
inline constexpr lectern::Reference layer_norm = {.title = "Layer Normalization",
                                                  .authors = {"Jimmy Lei Ba", "Jamie Ryan Kiros", "Geoffrey E. Hinton"},
                                                  .date = "2016",
                                                  .url = "https://arxiv.org/abs/1607.06450"};
inline constexpr lectern::Reference data_movement = {
    .title = "Data Movement Is All You Need: A Case Study on Optimizing Transformers",
    .authors = {"Andrei Ivanov", "Nikoli Dryden", "Tal Ben-Nun", "Shigang Li", "Torsten Hoefler"},
    .date = "2020",
    .url = "https://arxiv.org/abs/2007.00072"};
inline constexpr lectern::Reference glu_variants = {.title = "GLU Variants Improve Transformer",
                                                    .authors = {"Noam Shazeer"},
                                                    .date = "2020",
                                                    .url = "https://arxiv.org/abs/2002.05202"};
inline constexpr lectern::Reference rotary = {
    .title = "RoFormer: Enhanced Transformer with Rotary Position Embedding",
    .authors = {"Jianlin Su", "Yu Lu", "Shengfeng Pan", "Ahmed Murtadha", "Bo Wen", "Yunfeng Liu"},
    .date = "2021",
    .url = "https://arxiv.org/abs/2104.09864"};
inline constexpr lectern::Reference no_positions = {
    .title = "The Impact of Positional Encoding on Length Generalization in Transformers",
    .authors = {"Amirhossein Kazemnejad", "Inkit Padhi", "Karthikeyan Natesan Ramamurthy", "Payel Das", "Siva Reddy"},
    .date = "2023",
    .url = "https://arxiv.org/abs/2305.19466"};
inline constexpr lectern::Reference multi_query = {.title = "Fast Transformer Decoding: One Write-Head is All You Need",
                                                   .authors = {"Noam Shazeer"},
                                                   .date = "2019",
                                                   .url = "https://arxiv.org/abs/1911.02150"};
inline constexpr lectern::Reference grouped_query = {
    .title = "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints",
    .authors = {"Joshua Ainslie", "James Lee-Thorp", "Michiel de Jong", "Yury Zemlyanskiy", "Federico Lebrón",
                "Sumit Sanghai"},
    .date = "2023",
    .url = "https://arxiv.org/abs/2305.13245"};
inline constexpr lectern::Reference llama2 = {.title = "Llama 2: Open Foundation and Fine-Tuned Chat Models",
                                              .organization = "Meta",
                                              .date = "2023",
                                              .url = "https://arxiv.org/abs/2307.09288"};
inline constexpr lectern::Reference deepseek_v2 = {
    .title = "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model",
    .organization = "DeepSeek-AI",
    .date = "2024",
    .url = "https://arxiv.org/abs/2405.04434"};
inline constexpr lectern::Reference switch_transformer = {
    .title = "Switch Transformers: Scaling to Trillion Parameter Models with Simple and Efficient Sparsity",
    .authors = {"William Fedus", "Barret Zoph", "Noam Shazeer"},
    .date = "2021",
    .url = "https://arxiv.org/abs/2101.03961"};
inline constexpr lectern::Reference mixture_of_experts = {
    .title = "Outrageously Large Neural Networks: The Sparsely-Gated Mixture-of-Experts Layer",
    .authors = {"Noam Shazeer", "Azalia Mirhoseini", "Krzysztof Maziarz"},
    .date = "2017",
    .url = "https://arxiv.org/abs/1701.06538",
    .notes = "The first three of many authors."};
inline constexpr lectern::Reference mixtral = {.title = "Mixtral of Experts",
                                               .organization = "Mistral AI",
                                               .date = "2024",
                                               .url = "https://arxiv.org/abs/2401.04088"};
inline constexpr lectern::Reference tied = {.title = "Using the Output Embedding to Improve Language Models",
                                            .authors = {"Ofir Press", "Lior Wolf"},
                                            .date = "2016",
                                            .url = "https://arxiv.org/abs/1608.05859"};
inline constexpr lectern::Reference heavy_tails = {
    .title = "Heavy-Tailed Class Imbalance and Why Adam Outperforms Gradient Descent on Language Models",
    .authors = {"Frederik Kunstner", "Robin Yadav", "Alan Milligan", "Mark Schmidt", "Alberto Bietti"},
    .date = "2024",
    .url = "https://arxiv.org/abs/2402.19449"};

}  // namespace works
