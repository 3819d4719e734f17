// The works that the lectures cite.  @hide file

#pragma once

#include <lectern/lecture.h>

namespace works {

inline constexpr lectern::Reference chinchilla = {
    .title = "Training Compute-Optimal Large Language Models",
    .authors = {"Jordan Hoffmann", "Sebastian Borgeaud", "Arthur Mensch", "and others"},
    .organization = "DeepMind",
    .date = "2022",
    .url = "https://arxiv.org/abs/2203.15556",
    .description = "For a fixed number of operations, parameters and tokens should grow together."};
inline constexpr lectern::Reference chinchilla_replication = {
    .title = "Chinchilla Scaling: A replication attempt",
    .authors = {"Tamay Besiroglu", "Ege Erdil", "Matthew Barnett", "Josh You"},
    .organization = "Epoch AI",
    .date = "2024",
    .url = "https://arxiv.org/abs/2404.10102",
    .description = "Repeats the third of the paper's fits, and finds other constants."};
inline constexpr lectern::Reference gpt2 = {
    .title = "Language Models are Unsupervised Multitask Learners",
    .authors = {"Alec Radford", "Jeffrey Wu", "Rewon Child", "David Luan", "Dario Amodei", "Ilya Sutskever"},
    .organization = "OpenAI",
    .date = "2019",
    .url = "https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf",
    .description = "GPT-2. Its section on input representation introduces byte-level byte-pair encoding."};
inline constexpr lectern::Reference cs336 = {.title = "CS336: Language Modeling from Scratch",
                                             .organization = "Stanford University",
                                             .url = "https://cs336.stanford.edu"};
inline constexpr lectern::Reference unicode = {.title = "The Unicode Standard",
                                               .organization = "The Unicode Consortium",
                                               .url = "https://www.unicode.org/versions/latest/"};
inline constexpr lectern::Reference byte_pairs = {.title = "A New Algorithm for Data Compression",
                                                  .authors = {"Philip Gage"},
                                                  .organization = "The C Users Journal 12(2)",
                                                  .date = "1994-02"};
inline constexpr lectern::Reference subword_units = {
    .title = "Neural Machine Translation of Rare Words with Subword Units",
    .authors = {"Rico Sennrich", "Barry Haddow", "Alexandra Birch"},
    .organization = "ACL",
    .date = "2016",
    .url = "https://arxiv.org/abs/1508.07909",
    .description = "Byte-pair encoding as a tokenizer: an open vocabulary with units of variable length."};
inline constexpr lectern::Reference unigram_model = {
    .title = "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates",
    .authors = {"Taku Kudo"},
    .organization = "ACL",
    .date = "2018",
    .url = "https://arxiv.org/abs/1804.10959"};
inline constexpr lectern::Reference sentencepiece = {
    .title =
        "SentencePiece: A simple and language independent subword tokenizer and detokenizer for Neural Text Processing",
    .authors = {"Taku Kudo", "John Richardson"},
    .organization = "EMNLP, system demonstrations",
    .date = "2018",
    .url = "https://arxiv.org/abs/1808.06226"};
inline constexpr lectern::Reference byt5 = {
    .title = "ByT5: Towards a Token-Free Future with Pre-trained Byte-to-Byte Models",
    .authors = {"Linting Xue", "Aditya Barua", "Noah Constant", "Rami Al-Rfou", "Sharan Narang", "Mihir Kale",
                "Adam Roberts", "Colin Raffel"},
    .organization = "TACL",
    .date = "2022",
    .url = "https://arxiv.org/abs/2105.13626"};
inline constexpr lectern::Reference megabyte = {
    .title = "MEGABYTE: Predicting Million-byte Sequences with Multiscale Transformers",
    .authors = {"Lili Yu", "Dániel Simig", "Colin Flaherty", "Armen Aghajanyan", "Luke Zettlemoyer", "Mike Lewis"},
    .date = "2023",
    .url = "https://arxiv.org/abs/2305.07185"};
inline constexpr lectern::Reference byte_latent_transformer = {
    .title = "Byte Latent Transformer: Patches Scale Better Than Tokens",
    .authors = {"Artidoro Pagnoni", "Ram Pasunuru", "Pedro Rodriguez", "John Nguyen", "Benjamin Muller", "Margaret Li",
                "Chunting Zhou", "Lili Yu", "Jason Weston", "Luke Zettlemoyer", "Gargi Ghosh", "Mike Lewis",
                "Ari Holtzman", "Srinivasan Iyer"},
    .date = "2024",
    .url = "https://arxiv.org/abs/2412.09871"};
inline constexpr lectern::Reference h100 = {
    .title = "NVIDIA H100 Tensor Core GPU",
    .organization = "NVIDIA",
    .url = "https://www.nvidia.com/en-us/data-center/h100/",
    .description = "The data sheet; its footnote says that the figures are with sparsity."};
inline constexpr lectern::Reference palm = {
    .title = "PaLM: Scaling Language Modeling with Pathways",
    .authors = {"Aakanksha Chowdhery", "Sharan Narang", "Jacob Devlin"},
    .date = "2022",
    .url = "https://arxiv.org/abs/2204.02311",
    .description = "Introduces model FLOPs utilization, in its section on training efficiency.",
    .notes = "The first three of many authors."};
inline constexpr lectern::Reference jaxtyping = {
    .title = "jaxtyping", .authors = {"Patrick Kidger"}, .url = "https://docs.kidger.site/jaxtyping/"};
inline constexpr lectern::Reference einops_notation = {
    .title = "Einops: Clear and Reliable Tensor Manipulations with Einstein-like Notation",
    .authors = {"Alex Rogozhnikov"},
    .date = "2022",
    .url = "https://openreview.net/forum?id=oapKSVM2bcj"};
inline constexpr lectern::Reference gpt3 = {.title = "Language Models are Few-Shot Learners",
                                            .authors = {"Tom B. Brown", "Benjamin Mann", "Nick Ryder"},
                                            .date = "2020",
                                            .url = "https://arxiv.org/abs/2005.14165",
                                            .notes = "The first three of many authors."};
inline constexpr lectern::Reference executive_order = {
    .title = "Safe, Secure, and Trustworthy Development and Use of Artificial Intelligence",
    .organization = "Federal Register",
    .date = "2023",
    .url = "https://www.federalregister.gov/documents/2023/11/01/2023-24283/"
           "safe-secure-and-trustworthy-development-and-use-of-artificial-intelligence"};
inline constexpr lectern::Reference xavier_initialization = {
    .title = "Understanding the difficulty of training deep feedforward neural networks",
    .authors = {"Xavier Glorot", "Yoshua Bengio"},
    .date = "2010",
    .url = "https://proceedings.mlr.press/v9/glorot10a.html"};
inline constexpr lectern::Reference adagrad = {
    .title = "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization",
    .authors = {"John Duchi", "Elad Hazan", "Yoram Singer"},
    .date = "2011",
    .url = "https://jmlr.org/papers/v12/duchi11a.html"};
inline constexpr lectern::Reference adam = {.title = "Adam: A Method for Stochastic Optimization",
                                            .authors = {"Diederik P. Kingma", "Jimmy Ba"},
                                            .date = "2015",
                                            .url = "https://arxiv.org/abs/1412.6980"};
inline constexpr lectern::Reference transformer_memory = {
    .title = "Transformer Memory Arithmetic: Understanding all the Bytes in nanoGPT",
    .url = "https://erees.dev/transformer-memory/"};
inline constexpr lectern::Reference transformer_flops = {.title = "Transformer FLOPs",
                                                         .authors = {"Adam Casson"},
                                                         .date = "2023",
                                                         .url = "https://www.adamcasson.com/posts/transformer-flops"};
inline constexpr lectern::Reference adafactor = {
    .title = "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost",
    .authors = {"Noam Shazeer", "Mitchell Stern"},
    .date = "2018",
    .url = "https://arxiv.org/abs/1804.04235"};
inline constexpr lectern::Reference activation_recomputation = {
    .title = "Reducing Activation Recomputation in Large Transformer Models",
    .authors = {"Vijay Korthikanti", "Jared Casper", "Sangkug Lym"},
    .date = "2022",
    .url = "https://arxiv.org/abs/2205.05198",
    .notes = "The first three of many authors."};
inline constexpr lectern::Reference llama3 = {.title = "The Llama 3 Herd of Models",
                                              .organization = "Meta",
                                              .date = "2024",
                                              .url = "https://arxiv.org/abs/2407.21783"};
inline constexpr lectern::Reference safetensors = {
    .title = "safetensors", .organization = "Hugging Face", .url = "https://huggingface.co/docs/safetensors"};
inline constexpr lectern::Reference mixed_precision = {
    .title = "Mixed Precision Training",
    .authors = {"Paulius Micikevicius", "Sharan Narang", "Jonah Alben"},
    .date = "2017",
    .url = "https://arxiv.org/abs/1710.03740",
    .notes = "The first three of many authors."};
inline constexpr lectern::Reference pytorch_amp = {
    .title = "Automatic mixed precision", .organization = "PyTorch", .url = "https://pytorch.org/docs/stable/amp.html"};
inline constexpr lectern::Reference fp8_primer = {
    .title = "Using FP8 with Transformer Engine",
    .organization = "NVIDIA",
    .url = "https://docs.nvidia.com/deeplearning/transformer-engine/user-guide/examples/fp8_primer.html"};
inline constexpr lectern::Reference torch_tensor = {
    .title = "torch.Tensor", .organization = "PyTorch", .url = "https://pytorch.org/docs/stable/tensors.html"};
inline constexpr lectern::Reference bfloat16_on_tpus = {
    .title = "BFloat16: The secret to high performance on Cloud TPUs",
    .organization = "Google Cloud",
    .date = "2019",
    .url = "https://cloud.google.com/blog/products/ai-machine-learning/"
           "bfloat16-the-secret-to-high-performance-on-cloud-tpus"};
inline constexpr lectern::Reference fp8_formats = {.title = "FP8 Formats for Deep Learning",
                                                   .authors = {"Paulius Micikevicius", "Dusan Stosic", "Neil Burgess"},
                                                   .date = "2022",
                                                   .url = "https://arxiv.org/abs/2209.05433",
                                                   .notes = "The first three of many authors."};
inline constexpr lectern::Reference sublinear_memory = {
    .title = "Training Deep Nets with Sublinear Memory Cost",
    .authors = {"Tianqi Chen", "Bing Xu", "Chiyuan Zhang", "Carlos Guestrin"},
    .date = "2016",
    .url = "https://arxiv.org/abs/1604.06174"};
inline constexpr lectern::Reference attention_is_all_you_need = {
    .title = "Attention Is All You Need",
    .authors = {"Ashish Vaswani", "Noam Shazeer", "Niki Parmar", "Jakob Uszkoreit", "Llion Jones", "Aidan N. Gomez",
                "Łukasz Kaiser", "Illia Polosukhin"},
    .date = "2017",
    .url = "https://arxiv.org/abs/1706.03762"};
inline constexpr lectern::Reference illustrated_transformer = {
    .title = "The Illustrated Transformer",
    .authors = {"Jay Alammar"},
    .date = "2018",
    .url = "https://jalammar.github.io/illustrated-transformer/"};
inline constexpr lectern::Reference illustrated_gpt2 = {.title = "The Illustrated GPT-2",
                                                        .authors = {"Jay Alammar"},
                                                        .date = "2019",
                                                        .url = "https://jalammar.github.io/illustrated-gpt2/"};
inline constexpr lectern::Reference transformer_in_equations = {
    .title = "The Transformer Model in Equations",
    .authors = {"John Thickstun"},
    .url = "https://johnthickstun.com/docs/transformers.pdf"};
inline constexpr lectern::Reference formal_algorithms = {.title = "Formal Algorithms for Transformers",
                                                         .authors = {"Mary Phuong", "Marcus Hutter"},
                                                         .organization = "DeepMind",
                                                         .date = "2022",
                                                         .url = "https://arxiv.org/abs/2207.09238"};
inline constexpr lectern::Reference flops_calculus = {
    .title = "The FLOPs Calculus of Language Model Training",
    .authors = {"Dzmitry Bahdanau"},
    .date = "2022",
    .url = "https://medium.com/@dzmitrybahdanau/the-flops-calculus-of-language-model-training-3b19c1f025e4"};
inline constexpr lectern::Reference cuda_data_transfers = {
    .title = "How to Optimize Data Transfers in CUDA C/C++",
    .authors = {"Mark Harris"},
    .organization = "NVIDIA",
    .date = "2012",
    .url = "https://developer.nvidia.com/blog/how-optimize-data-transfers-cuda-cc/"};
inline constexpr lectern::Reference fp8_lm = {.title = "FP8-LM: Training FP8 Large Language Models",
                                              .authors = {"Houwen Peng", "Kan Wu", "Yixuan Wei"},
                                              .organization = "Microsoft",
                                              .date = "2023",
                                              .url = "https://arxiv.org/abs/2310.18313",
                                              .notes = "The first three of many authors."};
inline constexpr lectern::Reference roofline = {
    .title = "Roofline: An Insightful Visual Performance Model for Multicore Architectures",
    .authors = {"Samuel Williams", "Andrew Waterman", "David Patterson"},
    .date = "2009",
    .url = "https://doi.org/10.1145/1498765.1498785"};
inline constexpr lectern::Reference rms_norm = {.title = "Root Mean Square Layer Normalization",
                                                .authors = {"Biao Zhang", "Rico Sennrich"},
                                                .date = "2019",
                                                .url = "https://arxiv.org/abs/1910.07467"};
inline constexpr lectern::Reference flash_attention = {
    .title = "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness",
    .authors = {"Tri Dao", "Daniel Y. Fu", "Stefano Ermon", "Atri Rudra", "Christopher Ré"},
    .date = "2022",
    .url = "https://arxiv.org/abs/2205.14135"};
inline constexpr lectern::Reference zero = {
    .title = "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
    .authors = {"Samyam Rajbhandari", "Jeff Rasley", "Olatunji Ruwase", "Yuxiong He"},
    .date = "2020",
    .url = "https://arxiv.org/abs/1910.02054"};
inline constexpr lectern::Reference ring_all_reduce = {
    .title = "Bandwidth optimal all-reduce algorithms for clusters of workstations",
    .authors = {"Pitch Patarasuk", "Xin Yuan"},
    .date = "2009",
    .url = "https://doi.org/10.1016/j.jpdc.2008.09.002"};
inline constexpr lectern::Reference lion = {.title = "Symbolic Discovery of Optimization Algorithms",
                                            .authors = {"Xiangning Chen", "Chen Liang", "Da Huang"},
                                            .date = "2023",
                                            .url = "https://arxiv.org/abs/2302.06675",
                                            .notes = "The first three of many authors."};
inline constexpr lectern::Reference muon = {.title = "Muon: An optimizer for hidden layers in neural networks",
                                            .authors = {"Keller Jordan"},
                                            .date = "2024",
                                            .url = "https://kellerjordan.github.io/posts/muon/",
                                            .notes = "The first of several authors."};
inline constexpr lectern::Reference llm_int8 = {
    .title = "LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale",
    .authors = {"Tim Dettmers", "Mike Lewis", "Younes Belkada", "Luke Zettlemoyer"},
    .date = "2022",
    .url = "https://arxiv.org/abs/2208.07339"};

}  // namespace works
